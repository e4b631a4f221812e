<?php
// The collection networks' part of the service as one would write it with PHP-FPM and PDO: look up, register, confirm, cancel. The
// benchmark compares recaudo with it. The connection to the database is kept from request to request.
declare(strict_types=1);

const ROOM = '99999999999999999';
const TEXTS = ['0010' => 'transaction not valid', '0011' => 'field not valid', '0013' => 'no such transaction',
    '0014' => 'the transaction was cancelled', '0015' => 'the cancellation window has closed', '0016' => 'transaction id is taken',
    '0021' => 'amount not valid', '0023' => 'currency not valid', '0025' => 'checksum not valid', '0101' => 'no such reference',
    '0102' => 'already paid', '0103' => 'expired', '0104' => 'deleted', '0106' => 'being confirmed', '0111' => 'commerce not valid',
    '0112' => 'the account cannot take this amount'];

class Refusal extends Exception
{
}

function refuse(string $code): never
{
    throw new Refusal($code);
}

function field(array $from, string $name, int $most, string $code = '0011'): string
{
    $value = $from[$name] ?? null;
    if (!is_string($value) || !preg_match('/^[^\x00-\x1f\x7f]{1,' . $most . '}$/u', $value)) {
        refuse($code);
    }
    return $value;
}

function matching(mixed $value, string $pattern, string $code = '0011'): string
{
    return is_string($value) && preg_match($pattern, $value) ? $value : refuse($code);
}

// Integers have 64 bits: an amount of 15 digits fits in cents.
function cents(string $amount): int
{
    [$whole, $decimals] = explode('.', $amount . '.');
    return strlen($decimals) > 2 ? refuse('0021') : (int) ($whole . str_pad($decimals, 2, '0'));
}

// A number with exactly the decimals of the currency is not what json_encode prints, so amounts are put in as text.
function reply(?string $amount, array $data): string
{
    $text = json_encode(['CODE' => '0000', 'TEXT' => 'OK', 'DATA' => $data], JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
    return $amount === null ? $text : str_replace('"DATA":{', '"DATA":{"AMOUNT":' . $amount . ',', $text);
}

function database(): PDO
{
    static $database = null;
    $name = $_SERVER['DATABASE'];
    return $database ??= new PDO("mysql:unix_socket={$_SERVER['DATABASE_SOCKET']};dbname=$name;charset=utf8mb4", $name,
        trim(file_get_contents($_SERVER['PASSWORD_FILE'])),
        [PDO::ATTR_PERSISTENT => true, PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION, PDO::ATTR_DEFAULT_FETCH_MODE => PDO::FETCH_ASSOC]);
}

function execute(string $sql, array $values): PDOStatement
{
    $statement = database()->prepare($sql);
    $statement->execute($values);
    return $statement;
}

function authenticate(array $from, string ...$parts): int
{
    $name = field($from, 'name', 40);
    $checksum = matching($from['checksum'] ?? null, '/^[0-9a-fA-F]{128}$/D', '0025');
    $network = find_network($name);
    if ($network === null || !hash_equals(hash('sha512', implode('', $parts) . $network['fixed_hash']), strtolower($checksum))) {
        refuse('0025');
    }
    return (int) $network['id'];
}

// Without a cache that outlives a request every request asks for its network: PHP shares nothing between requests.
function find_network(string $name): ?array
{
    return execute('SELECT id, fixed_hash FROM networks WHERE name = ?', [$name])->fetch() ?: null;
}

function judge_state(array $order): void
{
    $code = match (true) {
        $order['state'] === 'paid' => '0102',
        $order['state'] === 'cancelled' => '0104',
        $order['held'] !== null => (int) $order['held'] === 1 ? '0106' : '0102',
        (int) $order['expired'] === 1 => '0103',
        default => null,
    };
    $code === null || refuse($code);
}

function resolve(string $reference): array
{
    $order = execute('SELECT o.id, o.state, o.amount, o.currency, o.description, o.held_until > UTC_TIMESTAMP(6) AS held,
        o.due_at <= UTC_TIMESTAMP(6) AS expired, m.commerce FROM orders o JOIN merchants m ON m.id = o.merchant_id
        WHERE o.reference = ?', [$reference])->fetch();
    if ($order) {
        judge_state($order);
        return $order + ['account' => null];
    }
    $account = execute('SELECT id, document, document_type, name, lastname1, lastname2, currency, balance, reserved
        FROM accounts WHERE document = ?', [$reference])->fetch();
    return $account ? ['account' => $account, 'amount' => '0.00', 'currency' => $account['currency'], 'description' => '',
        'commerce' => $_SERVER['SERVICE_NAME']] : refuse('0101');
}

function look_up(string $reference, array $query): string
{
    matching($reference, '/^[0-9A-Za-z-]{1,25}$/D');
    authenticate($query, $query['name'] ?? '', $reference);
    $payable = resolve($reference);
    $account = $payable['account'] ?? ['document' => '', 'document_type' => '', 'name' => '', 'lastname1' => '', 'lastname2' => ''];
    return reply($payable['amount'], ['LASTNAME1' => $account['lastname1'], 'LASTNAME2' => $account['lastname2'],
        'DESCRIPTION' => $payable['description'], 'DI' => $account['document'], 'COMMERCE' => $payable['commerce'],
        'REFERENCE' => $reference, 'TYPEDI' => $account['document_type'], 'NAME' => $account['name']]);
}

function registered(array $body, string $commerce, string $description, string|int $id): string
{
    $amount = substr_replace(str_pad((string) cents($body['amount']), 3, '0', STR_PAD_LEFT), '.', -2, 0);
    return reply($amount, ['DESCRIPTION' => $description, 'REFERENCE' => $body['reference'],
        'IDTRANSACTION' => $body['transaction'], 'IDSERVICE' => (string) $id, 'COMMERCE' => $commerce]);
}

// The reply that the same registration got before; null where there was none.
function repeated(int $network, array $body): ?string
{
    $row = execute('SELECT id, reference, amount, currency, commerce, teller, description FROM transactions
        WHERE network_id = ? AND network_transaction = ?', [$network, $body['transaction']])->fetch();
    if (!$row) {
        return null;
    }
    $same = $row['reference'] === $body['reference'] && cents($row['amount']) === cents($body['amount'])
        && $row['currency'] === $body['money'] && $row['teller'] === $body['teller']
        && small_letters($row['commerce']) === small_letters($body['commerce']);
    return $same ? registered($body, $row['commerce'], $row['description'], $row['id']) : refuse('0016');
}

// Small letters of ASCII only where the extension mbstring is not installed.
function small_letters(string $text): string
{
    return function_exists('mb_strtolower') ? mb_strtolower($text) : strtolower($text);
}

function judge(array $payable, array $body): void
{
    small_letters($payable['commerce']) === small_letters($body['commerce']) || refuse('0111');
    $payable['currency'] === $body['money'] || refuse('0023');
    $due = cents($payable['amount']);
    $paid = cents($body['amount']);
    if ($paid === 0 || ($due !== 0 && $due !== $paid)) {
        refuse('0021');
    }
    $account = $payable['account'];
    if ($account !== null && cents($account['balance']) + cents($account['reserved']) + $paid > (int) ROOM) {
        refuse('0112');
    }
}

function register(array $body): string
{
    $reference = matching($body['reference'] ?? null, '/^[0-9A-Za-z-]{1,25}$/D');
    $amount = matching($body['amount'] ?? null, '/^[0-9]{1,15}(?:\.[0-9]{1,4})?$/D', '0021');
    $transaction = field($body, 'transaction', 64, '0010');
    field($body, 'commerce', 100);
    $teller = field($body, 'teller', 64);
    $money = matching($body['money'] ?? null, '/^[A-Z]{3}$/D', '0023');
    $network = authenticate($body, $body['name'] ?? '', $reference, $amount, $transaction);
    try {
        $payable = resolve($reference);
    } catch (Refusal $refusal) {
        return repeated($network, $body) ?? throw $refusal;
    }
    judge($payable, $body);
    $account = $payable['account'];
    $description = $account === null ? $payable['description'] : $account['name'];
    try {
        execute('INSERT INTO transactions (network_id, network_transaction, reference, order_id, account_id, amount, currency,
            commerce, description, teller) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)', [$network, $transaction, $reference,
            $payable['id'] ?? null, $account['id'] ?? null, $amount, $money, $payable['commerce'], $description, $teller]);
    } catch (PDOException $failure) {
        return $failure->errorInfo[1] === 1062 ? repeated($network, $body) : throw $failure;
    }
    return registered($body, $payable['commerce'], $description, database()->lastInsertId());
}

function confirm(array $row): void
{
    if ($row['state'] !== 'registered') {
        $row['state'] === 'confirmed' || refuse('0014');
        return;
    }
    if ($row['order_id'] !== null) {
        judge_state(['state' => $row['order_state']] + $row);
        $due = cents($row['due']);
        $due === 0 || $due === cents($row['amount']) || refuse('0021');
    }
    execute("UPDATE transactions SET state = 'confirmed', confirmed_at = UTC_TIMESTAMP(6),
        window_ends_at = UTC_TIMESTAMP(6) + INTERVAL 30 SECOND WHERE id = ?", [$row['id']]);
    $held = $row['order_id'] !== null
        ? execute("UPDATE orders SET held_by = ?, held_until = UTC_TIMESTAMP(6) + INTERVAL 30 SECOND
            WHERE id = ? AND state = 'pending' AND held_by IS NULL", [$row['id'], $row['order_id']])
        : execute('UPDATE accounts SET reserved = reserved + ? WHERE id = ? AND balance + reserved + ? <= 999999999999999',
            [$row['amount'], $row['account_id'], $row['amount']]);
    $held->rowCount() === 1 || refuse($row['order_id'] !== null ? '0106' : '0112');
}

function cancel(array $row): void
{
    if ($row['state'] === 'cancelled') {
        return;
    }
    $confirmed = $row['state'] === 'confirmed';
    !$confirmed || (int) $row['open'] === 1 || refuse('0015');
    execute("UPDATE transactions SET state = 'cancelled' WHERE id = ?", [$row['id']]);
    if ($confirmed && $row['order_id'] !== null) {
        execute('UPDATE orders SET held_by = NULL, held_until = NULL WHERE id = ?', [$row['order_id']]);
    } elseif ($confirmed) {
        execute('UPDATE accounts SET reserved = reserved - ? WHERE id = ?', [$row['amount'], $row['account_id']]);
    }
}

function decide(array $body): string
{
    $transaction = field($body, 'transaction', 64, '0010');
    $wanted = matching($body['confirm'] ?? null, '/^(?:true|false)$/D') === 'true';
    $network = authenticate($body, $body['name'] ?? '', $transaction);
    database()->beginTransaction();
    try {
        $row = execute('SELECT t.id, t.state, t.order_id, t.account_id, t.amount, t.currency,
            t.window_ends_at > UTC_TIMESTAMP(6) AS open, o.state AS order_state, o.amount AS due,
            o.held_until > UTC_TIMESTAMP(6) AS held, o.due_at <= UTC_TIMESTAMP(6) AS expired
            FROM transactions t LEFT JOIN orders o ON o.id = t.order_id
            WHERE t.network_id = ? AND t.network_transaction = ? FOR UPDATE', [$network, $transaction])->fetch() ?: refuse('0013');
        $wanted ? confirm($row) : cancel($row);
        database()->commit();
    } catch (Throwable $failure) {
        database()->rollBack();
        throw $failure;
    }
    return reply(null, ['IDTRANSACTION' => $transaction, 'CONFIRM' => $wanted]);
}

function answer(): string
{
    $path = rtrim(strtok($_SERVER['REQUEST_URI'], '?'), '/');
    if ($_SERVER['REQUEST_METHOD'] === 'GET' && str_starts_with($path, '/v1/orders/')) {
        return look_up(substr($path, strlen('/v1/orders/')), $_GET);
    }
    $body = json_decode(file_get_contents('php://input'), true, 8);
    if ($path !== '/v1/transactions' || !is_array($body)) {
        refuse('0011');
    }
    return $_SERVER['REQUEST_METHOD'] === 'POST' ? register($body) : decide($body);
}

header('Content-Type: application/json; charset=utf-8');
try {
    $text = answer();
} catch (Refusal $refusal) {
    $text = json_encode(['CODE' => $refusal->getMessage(), 'TEXT' => TEXTS[$refusal->getMessage()]]);
}
header('Content-Length: ' . strlen($text));
echo $text;
