"""What a released database states about a table: the certificate of classes of rows, or of the histories of people."""

from __future__ import annotations

from typing import TypeAlias

from kanon_sql.certificate.certificate import Certificate
from kanon_sql.certificate.history_certificate import HISTORIES, HistoryCertificate
from kanon_sql.model.policy import Policy

Stated: TypeAlias = Certificate | HistoryCertificate


def stated(text: str) -> Stated:
    """Return the certificate of a text.

    Raises
    ------
    CertificateError
        When it is none.
    """
    return HistoryCertificate.from_json(text) if f'"{HISTORIES.format}"' in text[:200] else Certificate.from_json(text)


def guaranteed_by(certificate: Stated) -> Policy:
    """Return what is guaranteed of the rows; that of linked histories names the roles of its columns."""
    if isinstance(certificate, HistoryCertificate):
        return certificate.asked.roles
    return Policy.from_json(certificate.policy)
