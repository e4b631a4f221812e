<?php
// Checksums: the digest of some fields' values, as they are sent, and the secret. php checksum.php RECIPE VALUE...
declare(strict_types=1);

const RECIPES = [ // what the values are, in this order
    'lookup' => ['sha512', 'name reference'],
    'register' => ['sha512', 'name reference amount transaction'],
    'confirm' => ['sha512', 'name transaction'],
    'porder' => ['sha512', 'email country order money amount'],
    'porder-query' => ['sha512', 'order merchant'],
    'refund' => ['sha512', 'order merchant amount'],
    'query' => ['sha512', 'reference currency netname timestamp_start'],
    'answer' => ['sha512', 'order amount timestamp_end'],
    'answer-with-limits' => ['sha512', 'order amount min max timestamp_end'],
    'notification-sha256' => ['sha256', 'po_id status'],
    'notification-sha512' => ['sha512', 'po_id status'],
    'signature' => ['hmac', 'id timestamp method target body'],
];

// The header Recaudo-Signature of a request; target is path and query as they are sent.
function signature(string $secret, string $id, string $timestamp, string $method, string $target, string $body): string
{
    return 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$method $target\n$body", $secret, true));
}

function checksum(string $recipe, string $secret, string ...$values): string
{
    [$algorithm, $names] = RECIPES[$recipe]
        ?? throw new InvalidArgumentException('RECIPE VALUE...; the recipes are ' . implode(' ', array_keys(RECIPES)));
    if (count($values) !== count(explode(' ', $names))) {
        throw new InvalidArgumentException("$recipe takes: $names");
    }
    if ($recipe === 'signature') {
        return signature($secret, ...$values);
    }
    $word = $recipe === 'refund' ? 'refund' : '';
    return hash($algorithm, $word . implode('', $values) . $secret);
}

// Upper and lower case are the same; takes the same time wherever they differ.
function fits(string $received, string $computed): bool
{
    return hash_equals($computed, strtolower($received));
}

if (PHP_SAPI === 'cli' && realpath($argv[0]) === __FILE__) {
    if (!getenv('RECAUDO_SECRET')) {
        fwrite(STDERR, "RECAUDO_SECRET is not set\n");
        exit(1);
    }
    try {
        echo checksum($argv[1] ?? '', getenv('RECAUDO_SECRET'), ...array_slice($argv, 2)), "\n";
    } catch (InvalidArgumentException $error) {
        fwrite(STDERR, $error->getMessage() . "\n");
        exit(1);
    }
}
