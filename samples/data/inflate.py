#!/usr/bin/env python3
"""Makes data/inflate.kern: 32 texts as zlib compresses them. Run it in this folder: ./inflate.py > inflate.kern"""
import zlib

WORDS = ("warp lane block thread mask branch converge diverge barrier frontier kernel launch shared token "
         "oracle scheme").split()
STREAMS = 32


def word(seed, i):
    """launch_word of launch/launch.h (splitmix64)."""
    m = (1 << 64) - 1
    z = (seed + (i + 1) * 0x9e3779b97f4a7c15) & m
    z = ((z ^ z >> 30) * 0xbf58476d1ce4e5b9) & m
    z = ((z ^ z >> 27) * 0x94d049bb133111eb) & m
    return z ^ z >> 31


def text(s):
    """Of every fourth, bytes that nothing compresses."""
    if s % 4 == 3:
        return bytes(word(s, i) & 255 for i in range(20 + s))
    return " ".join(WORDS[word(s, i) >> 60] for i in range(100)).encode()[: 80 + 6 * s]


def compressed(s):
    """s % 4: codes of their own; the fixed codes; two blocks and an empty one between; stored."""
    strategy = zlib.Z_FIXED if s % 4 == 1 else zlib.Z_DEFAULT_STRATEGY
    c = zlib.compressobj(0 if s % 4 == 3 else 9, zlib.DEFLATED, -15, 9, strategy)
    t = text(s)
    if s % 4 != 2:
        return c.compress(t) + c.flush()
    return c.compress(t[:30]) + c.flush(zlib.Z_FULL_FLUSH) + c.compress(t[30:]) + c.flush()


def table(type, name, numbers, form, per_line):
    print("constant %s %s[%d] = {" % (type, name, len(numbers)))
    for i in range(0, len(numbers), per_line):
        print("    " + " ".join(form % n + "," for n in numbers[i:i + per_line]))
    print("};")


def main():
    data, begins, places = b"", [], []
    size = 0
    for s in range(STREAMS):
        begins.append(len(data))
        places.append(size)
        data += compressed(s)
        size += len(text(s))
    begins.append(len(data))
    places.append(size)
    data += bytes(-len(data) % 4)
    words = [int.from_bytes(data[i:i + 4], "little") for i in range(0, len(data), 4)]
    print("// inflate.kern: made by inflate.py of %d texts with zlib (raw DEFLATE, RFC 1951)." % STREAMS)
    print("const int STREAMS = %d, SIZE = %d;          // bytes of all texts" % (STREAMS, size))
    print("// where each stream begins in DATA, and its text in the output; CRC-32 of the texts")
    table("ushort", "BEGINS", begins, "%d", 16)
    table("ushort", "PLACES", places, "%d", 16)
    table("uint", "CRC", [zlib.crc32(text(s)) for s in range(STREAMS)], "0x%08x", 8)
    table("uint", "DATA", words, "0x%08x", 8)


main()
