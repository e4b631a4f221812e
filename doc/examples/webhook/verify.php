<?php
// Is this notification the service's? php verify.php ID TIMESTAMP SIGNATURE <BODY: the headers webhook-*, the body as received.
declare(strict_types=1);

const TOLERANCE_SECONDS = 300;

// $secret is NOTIFICATION_HASH as shown. After a rotation there are two signatures: one must be right. A header that is missing is wrong.
// In a receiver: is_signed($secret, $_SERVER['HTTP_WEBHOOK_ID'] ?? null, $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? null,
//                          $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? null, file_get_contents('php://input'), time())
function is_signed(string $secret, ?string $id, ?string $timestamp, ?string $signatures, string $body, int $now): bool
{
    if ($id === null || $timestamp === null || $signatures === null) {
        return false;
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $secret, true));
    $right = false;
    foreach (explode(' ', $signatures) as $one) {
        $right = hash_equals($expected, $one) || $right;
    }
    return $right && ctype_digit($timestamp) && abs($now - (int) $timestamp) <= TOLERANCE_SECONDS;
}

if (PHP_SAPI === 'cli' && realpath($argv[0]) === __FILE__) {
    if (!getenv('RECAUDO_SECRET')) {
        fwrite(STDERR, "RECAUDO_SECRET is not set\n");
        exit(1);
    }
    $now = (int) (getenv('RECAUDO_NOW') ?: time()); // for the test vector, which is of another day
    $body = file_get_contents('php://stdin');
    echo is_signed(getenv('RECAUDO_SECRET'), $argv[1] ?? null, $argv[2] ?? null, $argv[3] ?? null, $body, $now) ? "right\n" : "wrong\n";
}
