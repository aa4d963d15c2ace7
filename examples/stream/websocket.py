"""A WebSocket client (RFC 6455) that uses only Python's standard library: enough to read a stream and to reply to its pings."""

from __future__ import annotations

import base64
import hashlib
import os
import socket
import ssl
import urllib.parse
from typing import Mapping

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TEXT, CLOSE, PING, PONG = 0x1, 0x8, 0x9, 0xA
MAX_HEAD_BYTES = 65_536


class Refused(Exception):
    """The response to the handshake was not an upgrade."""

    def __init__(self, status: int) -> None:
        super().__init__(f"The stream returned status {status}.")
        self.status = status


class Closed(Exception):
    """The server closed the connection, or it was cut, in which case the code is 1006."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"The stream closed with {code}: {reason}")
        self.code = code


class WebSocket:
    def __init__(self, url: str, headers: Mapping[str, str], timeout_s: float) -> None:
        """Raises Refused, or OSError if the server does not respond. `timeout_s`: maximum time without a byte."""
        parts = urllib.parse.urlsplit(url)
        is_secure = parts.scheme in ("wss", "https")
        port = parts.port or (443 if is_secure else 80)
        plain = socket.create_connection((parts.hostname, port), timeout=timeout_s)
        self._socket = _secured(plain, parts.hostname) if is_secure else plain
        self._buffer = b""
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            f"GET {parts.path}?{parts.query} HTTP/1.1",
            f"Host: {parts.netloc}",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {key}",
            *(f"{name}: {value}" for name, value in headers.items()),
        ]
        try:
            self._socket.sendall("\r\n".join([*lines, "", ""]).encode())
            self._read_handshake(key)
        except BaseException:
            self.close()
            raise

    def receive(self) -> str:
        """The next text message. Raises Closed at the end, OSError if the connection fails or is silent for too long."""
        text = b""
        while True:
            is_final, opcode, payload = self._read_frame()
            if opcode == PING:
                self._send(PONG, payload)
            elif opcode == CLOSE:
                code = int.from_bytes(payload[:2]) if len(payload) >= 2 else 1005
                self._send(CLOSE, payload[:2])
                raise Closed(code, payload[2:].decode())
            elif opcode != PONG:
                text += payload
                if is_final:
                    return text.decode()

    def close(self) -> None:
        self._socket.close()

    def _read_handshake(self, key: str) -> None:
        while b"\r\n\r\n" not in self._buffer:
            if len(self._buffer) > MAX_HEAD_BYTES:
                raise Refused(0)
            self._fill()
        head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
        status_line, *lines = head.decode("latin-1").split("\r\n")
        status = int(status_line.split(" ", 2)[1])
        if status != 101:
            raise Refused(status)
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        expected = base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()
        if headers.get("sec-websocket-accept") != expected:
            raise Refused(status)

    def _read_frame(self) -> tuple[bool, int, bytes]:
        first, second = self._take(2)
        length = second & 0x7F
        if length == 126:
            length = int.from_bytes(self._take(2))
        elif length == 127:
            length = int.from_bytes(self._take(8))
        return bool(first & 0x80), first & 0x0F, self._take(length)

    def _send(self, opcode: int, payload: bytes) -> None:
        """Client frames are masked. Pongs and closes are at most 125 bytes long."""
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))
        self._socket.sendall(bytes([0x80 | opcode, 0x80 | len(payload)]) + mask + masked)

    def _take(self, count: int) -> bytes:
        while len(self._buffer) < count:
            self._fill()
        taken, self._buffer = self._buffer[:count], self._buffer[count:]
        return taken

    def _fill(self) -> None:
        chunk = self._socket.recv(65_536)
        if not chunk:
            raise Closed(1006, "cut")
        self._buffer += chunk


def _secured(plain: socket.socket, host: str | None) -> socket.socket:
    return ssl.create_default_context().wrap_socket(plain, server_hostname=host)
