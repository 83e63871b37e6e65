# recipe: seal
import re
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
MARK = bytes.fromhex("A65959A600000008")
PREFIX = re.compile("[a-z]([a-z_]{0,61}[a-z])?")


def aes(key, prefix):
    info = b"snowid sealed id 1\x00\x08" + prefix.encode()
    return Cipher(algorithms.AES(HKDF(SHA256(), 32, None, info).derive(key)), modes.ECB())


def seal(id, prefix, key, number=0):
    if not PREFIX.fullmatch(prefix) or number not in range(7):
        raise ValueError("no prefix, or no number of a key")
    block = aes(key, prefix).encryptor().update(MARK + id.to_bytes(8, "big", signed=True))
    n = number << 128 | int.from_bytes(block, "big")
    return prefix + "_" + "".join(DIGITS[n // 62**i % 62] for i in reversed(range(22)))


def unseal(text, prefix, keys):  # keys by their numbers
    if not PREFIX.fullmatch(prefix) or not re.fullmatch(prefix + "_[0-9A-Za-z]{22}", text):
        raise ValueError("invalid sealed id")
    number, block = divmod(sum(DIGITS.index(c) * 62**i for i, c in enumerate(reversed(text[-22:]))), 2**128)
    plain = aes(keys[number], prefix).decryptor().update(block.to_bytes(16, "big")) if number in keys and number < 7 else b""
    if plain[:8] != MARK:
        raise ValueError("invalid sealed id")
    return int.from_bytes(plain[8:], "big", signed=True)
# end
