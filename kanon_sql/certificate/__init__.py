"""What a release proves about itself."""

from kanon_sql.certificate.certificate import Certificate, Release
from kanon_sql.certificate.histories import HistoryRisk
from kanon_sql.certificate.status import Status

__all__ = ["Certificate", "HistoryRisk", "Release", "Status"]
