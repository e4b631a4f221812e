"""Two reference prefixes, or a prefix and the code of an integration, that overlap and are given at the same moment."""

from functools import partial

import pymysql
import pytest

from together import at_once
from world import COMMERCE, MERCHANT, World

PREFIX = "INSERT INTO reference_prefixes (prefix, merchant_id, changed_by) VALUES (%s, %s, 'test')"
INTEGRATION = ("INSERT INTO integrations (kind, code, merchant_id, endpoint, currency, changed_by)"
               " VALUES (2, %s, %s, 'http://127.0.0.1/', 'COP', 'test')")


def clean(world: World, digits: str) -> None:
    world.write("DELETE FROM reference_prefixes WHERE prefix LIKE %s", digits + "%")
    world.write("UPDATE integrations SET removed_at = UTC_TIMESTAMP(6) WHERE removed_at IS NULL AND code LIKE %s", digits + "%")


@pytest.mark.parametrize("one, other", [(PREFIX, INTEGRATION), (INTEGRATION, PREFIX), (PREFIX, PREFIX), (INTEGRATION, INTEGRATION)],
                         ids=["prefix-code", "code-prefix", "prefix-prefix", "code-code"])
@pytest.mark.parametrize("longer", [0, 1])
@pytest.mark.parametrize("end, taken", [("COMMIT", False), ("ROLLBACK", True)])
def test_the_second_learns_of_the_first(world: World, one: str, other: str, longer: int, end: str, taken: bool) -> None:
    """Neither sees what the other one has not committed: the second waits, and is refused if the first has it."""
    name, digits = world.fresh("tienda"), "77777"
    world.add_merchant(name, COMMERCE)
    ids = [world.value("SELECT id FROM merchants WHERE name = %s", merchant) for merchant in (MERCHANT, name)]
    codes = [digits + "1" * (longer == place) for place in range(2)]
    try:
        with world.stack.mariadb.connect("recaudo_operator") as first, \
                world.stack.mariadb.connect("recaudo_operator") as second:
            with first.cursor() as cursor, second.cursor() as waiting:
                cursor.execute("START TRANSACTION")
                cursor.execute(one, (codes[0], ids[0]))

                def finish() -> bool:
                    world.await_lock_wait()
                    cursor.execute(end)
                    return True

                def give() -> bool:
                    try:
                        waiting.execute(other, (codes[1], ids[1]))
                    except pymysql.err.IntegrityError as error:
                        assert "prefix_overlap" in str(error)
                        return False
                    return True

                assert at_once([partial(finish), partial(give)]) == [True, taken]
    finally:
        clean(world, digits)


def test_ones_own_may_overlap(world: World) -> None:
    """A merchant that answers for its prefix itself."""
    own = world.value("SELECT id FROM merchants WHERE name = %s", MERCHANT)
    try:
        world.write(PREFIX, "77777", own)
        world.write(INTEGRATION, "777771", own)
        world.write(PREFIX, "777772", own)
        world.write(INTEGRATION, "7777712", own)
    finally:
        clean(world, "77777")
