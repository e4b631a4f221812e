"""What `./sandbox up` prints once everything is ready, on one screen, and the longer guide that it leaves in a file."""

from typing import Mapping

from .merchant import PREFIX
from .scene import Scene

WELCOME = """\
recaudo is ready at {base_url}; a confirmation can be taken back for {window:g} s

Waiting to be paid, until tomorrow:
  {fixed}   45000.00 COP; the customer's payment slip:
                    http://{slip}
  {open}   open amount
  {document}        a customer's account, for a top-up
  {asked}         the merchant is asked what is due; so it is for 9 to 16 digits that begin with {prefix}

The console, for a browser: {console_url} with name:password of a role
  {console_users}

In another terminal, in this directory:
  ./sandbox pay {fixed}                 pay as a network does, each request and reply shown
  ./sandbox pay {open} 2500 --cancel   pay another amount, and take it back
  ./sandbox merchant --notify-url URL           make a merchant for a program of yours, with its secrets
  ./sandbox ctl order show {fixed}      look at it as an operator does, with recaudoctl
  ./sandbox sql -e 'SELECT * FROM orders_now'   look into the tables
  ./sandbox audit                               check all books as an auditor does, from the tables alone
  ./sandbox stop worker, start worker           simulate a failure; more: ./sandbox --help
  ./sandbox status | logs | demo | down         what runs; what it wrote; one whole payment; end it

The same with curl, step by step: less {file}
"""

GUIDE = """\
recaudo is ready at {base_url}

Waiting to be paid, until tomorrow:
  {fixed}   45000.00 COP, with a payment slip for the customer: http://{slip}
  {open}   open amount
  {document}        a customer's account, for a top-up
  {asked}         the merchant is asked; so it is about every reference of 9 to 16 digits that begins with {prefix}

The console, for a browser: {console_url} with name:password of a role
  {console_users}

Paste this into another shell, in this directory. What a network sends is signed with SHA-512.

. var/sandbox/env
sum() {{ printf %s "$@" "$RECAUDO_NETWORK_HASH" | sha512sum | cut -d ' ' -f 1; }}
REFERENCE={fixed} TRANSACTION=T.$(date +%s)

# 1. Look up what is due
curl -w '\\n' "$RECAUDO_BASE_URL/v1/orders/$REFERENCE?name=$RECAUDO_NETWORK&checksum=$(sum "$RECAUDO_NETWORK" "$REFERENCE")"

# 2. The same with a wrong checksum is refused with CODE 0025
curl -w '\\n' "$RECAUDO_BASE_URL/v1/orders/$REFERENCE?name=$RECAUDO_NETWORK&checksum=$(sum wrong)"

# 3. Register the payment
curl -w '\\n' -H 'Content-Type: application/json' "$RECAUDO_BASE_URL/v1/transactions/" --data @- <<END
{{"name":"$RECAUDO_NETWORK","reference":"$REFERENCE","amount":"45000.00","transaction":"$TRANSACTION",
 "commerce":"{commerce}","teller":"POS-1","money":"COP",
 "checksum":"$(sum "$RECAUDO_NETWORK" "$REFERENCE" 45000.00 "$TRANSACTION")"}}
END

# 4. Confirm it; for {window:g} s the same with "confirm":"false" would cancel it
curl -w '\\n' -X PATCH -H 'Content-Type: application/json' "$RECAUDO_BASE_URL/v1/transactions/" --data @- <<END
{{"name":"$RECAUDO_NETWORK","transaction":"$TRANSACTION","confirm":"true",
 "checksum":"$(sum "$RECAUDO_NETWORK" "$TRANSACTION")"}}
END

# 5. Register an order as a merchant's program does, and ask for its state; checkout is the address of its slip, without http://
order_sum() {{ printf %s "$@" "$RECAUDO_MERCHANT_HASH" | sha512sum | cut -d ' ' -f 1; }}
ORDER=PO-$(date +%s)
curl -w '\\n' "$RECAUDO_BASE_URL/v1/porders" --data @- <<END
{{"merchant":"$RECAUDO_MERCHANT","email":"ana@example.com","country":343,"order":"$ORDER","money":"COP","amount":"120.00",
 "description":"Botas","expiration":"$(date -d '2 days' +%d/%m/%Y)","checksum":"$(order_sum ana@example.com 343 "$ORDER" COP 120.00)"}}
END
curl -w '\\n' "$RECAUDO_BASE_URL/v1/porders/$ORDER?merchant=$RECAUDO_MERCHANT&checksum=$(order_sum "$ORDER" "$RECAUDO_MERCHANT")"

# 6. Look up a reference that the merchant answers itself, and see what it was asked
REFERENCE_ASKED={asked}
curl -w '\\n' "$RECAUDO_BASE_URL/v1/orders/$REFERENCE_ASKED?name=$RECAUDO_NETWORK&checksum=$(sum "$RECAUDO_NETWORK" "$REFERENCE_ASKED")"
./sandbox ctl query list --reference "$REFERENCE_ASKED"
./sandbox ctl integration test {integration} --reference "$REFERENCE_ASKED"

# 7. Look at the payment from inside; {window:g} s after step 4 the order is APROBADA, and the merchant has been told
./sandbox ctl order show "$REFERENCE"
curl "$RECAUDO_SAMPLE_MERCHANT_URL/notifications"

./sandbox demo shows a whole payment; ./sandbox status says what runs, ./sandbox logs shows the logs, ./sandbox down ends it.
This guide is kept in var/sandbox/guide until then. Next: README.md, "Find your way".
"""


def guides(scene: Scene, document: str, commerce: str, file: str,
           console: Mapping[str, str]) -> tuple[str, str]:
    """The welcome and the guide, of which `file` is the path. Adds fresh orders: those of earlier ones may be paid by now.

    `console` has the console's address and users.
    """
    fixed = scene.add_order("GUIDE", "45000.00", "Zapatos rojos")
    facts = {"base_url": scene.base_url, "window": scene.window, "document": document, "commerce": commerce,
             "prefix": PREFIX, "asked": f"{PREFIX}0000123", "integration": scene.integration(PREFIX), "fixed": fixed,
             "slip": scene.show_order(fixed)["slip"], "open": scene.add_order("GUIDE", "0", "Donación"), "file": file, **console}
    return WELCOME.format(**facts), GUIDE.format(**facts)
