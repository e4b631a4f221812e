"""Days in time zones, by Python's zoneinfo: the service reads the same data with another library."""

from datetime import date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo

DAY, QUARTER = timedelta(days=1), timedelta(minutes=15)
# Those that the service knows from the start, and others whose clocks change: at midnight too, and by half an hour.
SHIPPED = {"343": ("COP", "America/Bogota"), "314": ("CRC", "America/Costa_Rica"), "345": ("USD", "America/Guayaquil"),
           "348": ("PEN", "America/Lima")}
ADDED = {"901": ("USD", "America/New_York"), "902": ("USD", "America/Santiago"), "903": ("USD", "America/Havana"),
         "904": ("USD", "Asia/Beirut"), "905": ("USD", "Australia/Lord_Howe"), "906": ("USD", "Pacific/Kiritimati"),
         "907": ("USD", "Europe/Madrid"), "908": ("USD", "Pacific/Pago_Pago")}
COUNTRIES = {**SHIPPED, **ADDED}


def day_at(utc: datetime, zone: str) -> date:
    """The date on the wall."""
    return utc.replace(tzinfo=timezone.utc).astimezone(ZoneInfo(zone)).date()


def begins(day: date, zone: str) -> datetime:
    """Midnight in UTC; the second one where the clock is put back over it, the change where it is skipped: whoever may pay
    until then has the longer day."""
    return midnights(day, zone)[-1]


def first_shown(day: date, zone: str) -> datetime:
    """When the clock there shows the date for the first time: so reports cut their days."""
    return midnights(day, zone)[0]


def shown(day: date, zone: str) -> tuple[datetime, datetime]:
    """From when until when the clock there shows the date."""
    return first_shown(day, zone), first_shown(day + DAY, zone)


def midnights(day: date, zone: str) -> list[datetime]:
    """In UTC: two where the clock is put back over midnight."""
    midnight = datetime.combine(day, time(0))
    instants = [midnight + number * QUARTER for number in range(-60, 61)]  # clocks differ from UTC by 14 hours at most
    readings = [instant.replace(tzinfo=timezone.utc).astimezone(ZoneInfo(zone)).replace(tzinfo=None) for instant in instants]
    exactly = [instant for instant, reading in zip(instants, readings) if reading == midnight]
    return exactly or [next(instant for instant, reading in zip(instants, readings) if reading > midnight)]
