"""Signatures against vectors worked out here, step by step, as the fact sheet describes them."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from voicepipe.protocols.telephony.carriers import plivo, telnyx, twilio, vonage

TOKEN = "12345"
URL = "https://example.com/telephony/twilio/voice?foo=1&bar=2"
FORM = [
    ("To", "+18005551212"),
    ("Digits", "1234"),
    ("CallSid", "CA1"),
    ("From", "+14158675309"),
]


def digest(secret: str, signed: str, algorithm: str) -> str:
    return base64.b64encode(hmac.new(secret.encode(), signed.encode(), algorithm).digest()).decode()


SIGNED = URL + "CallSidCA1" + "Digits1234" + "From+14158675309" + "To+18005551212"
TWILIO = "DhEBED/b8NXGqTsWETyQWSG4q9g="
"""`openssl dgst -sha1 -hmac 12345` of `SIGNED`."""


class TestTwilio:
    def test_vectors(self) -> None:
        assert digest(TOKEN, SIGNED, "sha1") == TWILIO
        assert twilio.sign(URL, TOKEN, FORM) == TWILIO
        assert twilio.verify(URL, TOKEN, TWILIO, form=FORM)
        assert twilio.verify(URL, TOKEN, TWILIO, form=FORM[::-1])

    def test_repeated_names_are_sorted_and_said_once(self) -> None:
        form = [("a", "2"), ("a", "1"), ("a", "2")]
        assert twilio.sign(URL, TOKEN, form) == digest(TOKEN, URL + "a1a2", "sha1")

    @pytest.mark.parametrize(
        ("url", "form", "signature"),
        [
            (URL, FORM, None),
            (URL, FORM, ""),
            (URL, FORM, TWILIO[:-2] + "A="),
            (URL, FORM, "ä"),
            (URL, [*FORM, ("Digits", "9")], TWILIO),
            (URL, FORM[1:], TWILIO),
            (URL + "3", FORM, TWILIO),
            (URL.replace("https", "http"), FORM, TWILIO),
        ],
    )
    def test_forged_or_missing(
        self, url: str, form: list[tuple[str, str]], signature: str | None
    ) -> None:
        assert not twilio.verify(url, TOKEN, signature, form=form)

    def test_no_secret_verifies_nothing(self) -> None:
        signature = twilio.sign(URL, "", FORM)
        assert not twilio.verify(URL, "", signature, form=FORM)

    @pytest.mark.parametrize("signed", ["", ":443"])
    @pytest.mark.parametrize("known", ["", ":443"])
    @pytest.mark.parametrize("slash", ["", "/"])
    def test_an_upgrade_with_or_without_its_port(self, signed: str, known: str, slash: str) -> None:
        signature = digest(TOKEN, f"wss://example.com{signed}/stream{slash}", "sha1")
        assert twilio.verify(f"wss://example.com{known}/stream", TOKEN, signature)
        for wrong in ("https://example.com/stream", "wss://example.org/stream"):
            assert not twilio.verify(wrong, TOKEN, signature)

    def test_another_port_may_be_left_out(self) -> None:
        signature = digest(TOKEN, "https://example.com/x", "sha1")
        assert twilio.verify("https://example.com:8443/x", TOKEN, signature)

    def test_the_newer_scheme(self) -> None:
        settings = "key=KY1,algorithm=HMAC_SHA256"
        signature = digest("secret", URL, "sha256")
        assert twilio.sign(URL, "secret", algorithm="sha256") == signature
        assert twilio.verify(URL, "secret", signature, settings=settings)
        assert not twilio.verify(URL, "secret", signature)
        old = digest("secret", URL, "sha1")
        assert not twilio.verify(URL, "secret", old, settings=settings)
        assert not twilio.verify(URL, "secret", old, settings="key=KY1,algorithm=MD5")

    def test_json_bodies(self) -> None:
        body = b'{"a":1}'
        url = f"https://example.com/x?bodySHA256={hashlib.sha256(body).hexdigest()}"
        signature = digest(TOKEN, url, "sha1")
        assert twilio.verify_json(url, TOKEN, signature, body)
        assert not twilio.verify_json(url, TOKEN, signature, b'{"a":2}')
        assert not twilio.verify_json(url, TOKEN, None, body)
        bare = "https://example.com/x"
        assert not twilio.verify_json(bare, TOKEN, digest(TOKEN, bare, "sha1"), body)


class TestPlivo:
    NONCE = "05429567804466091622"
    URL = "https://example.com/answer/"

    @pytest.mark.parametrize(
        ("query", "form", "signed"),
        [
            ("", None, "https://example.com/answer/.{n}"),
            ("?b=2&a=1", None, "https://example.com/answer/?a=1&b=2.{n}"),
            ("", [("To", "2"), ("From", "1")], "https://example.com/answer/?From1To2.{n}"),
            ("?a=1", [("To", "2")], "https://example.com/answer/?a=1.To2.{n}"),
            ("?a=1", [], "https://example.com/answer/?a=1.{n}"),
        ],
    )
    def test_vectors(self, query: str, form: list[tuple[str, str]] | None, signed: str) -> None:
        wanted = digest(TOKEN, signed.format(n=self.NONCE), "sha256")
        url = self.URL + query
        assert plivo.sign(url, TOKEN, self.NONCE, form) == wanted
        header = f"AAAA,{wanted}"
        assert plivo.verify(url, TOKEN, header, self.NONCE, form=form)

    def test_openssls_figure(self) -> None:
        wanted = "tSD+RxP9SFqCvM4nb3y7IoJcikUoive66G9I0l88+74="  # of the third vector above
        form = [("From", "1"), ("To", "2")]
        assert plivo.sign(self.URL, TOKEN, self.NONCE, form) == wanted

    def test_forged_or_missing(self) -> None:
        good = plivo.sign(self.URL, TOKEN, self.NONCE)
        assert plivo.verify(self.URL, TOKEN, good, self.NONCE)
        for url, signature, nonce in (
            (self.URL, None, self.NONCE),
            (self.URL, good, None),
            (self.URL, good, "1"),
            (self.URL + "x", good, self.NONCE),
            (self.URL, "x" + good[1:], self.NONCE),
            (self.URL, ",,", self.NONCE),
        ):
            assert not plivo.verify(url, TOKEN, signature, nonce)
        assert not plivo.verify(self.URL, TOKEN, good, self.NONCE, form=[("a", "b")])


class TestTelnyx:
    # RFC 8032, section 7.1, test 1: the secret key there.
    KEY = Ed25519PrivateKey.from_private_bytes(
        bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    )
    PUBLIC = base64.b64encode(
        bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
    ).decode()
    BODY, NOW = b'{"data":{}}', 1_760_000_000

    def check(self, signature: str | None, timestamp: str | None, now_s: float = NOW) -> bool:
        return telnyx.verify(self.PUBLIC, signature, timestamp, self.BODY, now_s=now_s)

    def test_the_key_is_the_standards(self) -> None:
        raw = serialization.Encoding.Raw, serialization.PublicFormat.Raw
        assert base64.b64encode(self.KEY.public_key().public_bytes(*raw)).decode() == self.PUBLIC

    def test_signed_forged_stale_and_missing(self) -> None:
        stamp = str(self.NOW)
        signature = base64.b64encode(self.KEY.sign(stamp.encode() + b"|" + self.BODY)).decode()
        assert self.check(signature, stamp)
        assert self.check(signature, stamp, self.NOW + 299)
        assert not self.check(signature, stamp, self.NOW + 301)
        assert not self.check(signature, stamp, self.NOW - 301)
        assert not self.check(signature, str(self.NOW + 1))
        assert not self.check("A" + signature[1:], stamp)
        assert signature.endswith("==")  # the last character has four bits that nobody reads
        alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        twin = signature[:-3] + alphabet[alphabet.index(signature[-3]) + 1] + "=="
        assert base64.b64decode(twin) == base64.b64decode(signature)
        assert not self.check(twin, stamp)
        for wrong in (None, "", "?", "AAAA", "ä"):
            assert not self.check(wrong, stamp)
        for wrong in (None, "", "now", "1" * 13, "٣"):
            assert not self.check(signature, wrong)
        assert not telnyx.verify("nokey", signature, stamp, self.BODY, now_s=self.NOW)


class TestVonage:
    NOW = 1_760_000_000

    def token(self, claims: object, head: object = None, secret: str = TOKEN) -> str:
        head = head or {"alg": "HS256", "typ": "JWT"}
        parts = [
            base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")
            for part in (head, claims)
        ]
        mac = hmac.new(secret.encode(), ".".join(parts).encode(), "sha256").digest()
        return ".".join([*parts, base64.urlsafe_b64encode(mac).decode().rstrip("=")])

    def test_signed(self) -> None:
        claims = {"iat": self.NOW, "application_id": "a", "jti": "j"}
        for token in (self.token(claims), vonage.sign(TOKEN, claims)):
            assert vonage.verify(TOKEN, token, now_s=self.NOW + 10.5) == claims

    @pytest.mark.parametrize(
        "claims",
        [
            {},
            {"iat": NOW - 301},
            {"iat": NOW + 301},
            {"iat": NOW, "exp": NOW - 1},
            {"iat": NOW, "nbf": NOW + 301},
            {"iat": str(NOW)},
            {"iat": True},
            {"iat": float("nan")},
            [],
            "text",
        ],
    )
    def test_stale_or_strange(self, claims: object) -> None:
        assert vonage.verify(TOKEN, self.token(claims), now_s=self.NOW) is None

    def test_forged_or_missing(self) -> None:
        claims = {"iat": self.NOW}
        good = self.token(claims)
        head, body, _ = good.split(".")
        none = self.token(claims, {"alg": "none"})
        for token in (
            None,
            "",
            "a.b",
            "ä.ö.ü",
            "..",
            f"{head}.{body}.",
            f"{head}.{body}.AAAA",
            none,
            self.token(claims, secret="other"),
            self.token(claims, {"alg": "HS512"}),
            good + "x" * 9000,
        ):
            assert vonage.verify(TOKEN, token, now_s=self.NOW) is None
        assert vonage.verify("", self.token(claims, secret=""), now_s=self.NOW) is None

    def test_the_body_is_checked_where_it_is_signed(self) -> None:
        body = b"{}"
        token = self.token({"iat": self.NOW, "payload_hash": hashlib.sha256(body).hexdigest()})
        assert vonage.verify(TOKEN, token, now_s=self.NOW, body=body)
        assert vonage.verify(TOKEN, token, now_s=self.NOW, body=b"x") is None
        odd = self.token({"iat": self.NOW, "payload_hash": 7})
        assert vonage.verify(TOKEN, odd, now_s=self.NOW, body=body) is None
