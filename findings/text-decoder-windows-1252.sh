#!/bin/sh
# Node 20: TextDecoder reads windows-1252 as ISO 8859-1, unless it decodes a stream.
#
# Version:  Node 20.20.2.
# Guess:    new TextDecoder('windows-1252') decodes the byte 0x96 as an en dash, U+2013 (WHATWG Encoding, 9.1).
# Seen:     it returns the control character U+0096, and so for all bytes from 0x80 to 0x9F. With
#           { stream: true } the same decoder returns U+2013. windows-1251 and windows-1254 are right either way.
# Output:   windows-1252: 96, as a stream: 2013
#           windows-1251: 2013, as a stream: 2013
#           windows-1254: 2013, as a stream: 2013
# So:       list the signs that two code pages share, and do not ask the decoder of windows-1252.
#
# Needs nothing but Node. Exits with 1 when the behaviour has changed.
set -eu
node --input-type=module -e '
const code = (label, options, byte = 0x96) =>
  new TextDecoder(label).decode(Uint8Array.of(byte), options).codePointAt(0)?.toString(16);
const seen = {};
for (const label of ["windows-1252", "windows-1251", "windows-1254"]) {
  seen[label] = [code(label), code(label, { stream: true })];
  console.log(`${label}: ${seen[label][0]}, as a stream: ${seen[label][1]}`);
}
const rows = Array.from({ length: 32 }, (_, n) => 0x80 + n);
const isAsSeen =
  seen["windows-1252"].join() === "96,2013" &&
  rows.every((byte) => code("windows-1252", {}, byte) === byte.toString(16)) &&
  seen["windows-1251"].join() === "2013,2013" &&
  seen["windows-1254"].join() === "2013,2013";
if (!isAsSeen) console.error("the behaviour has changed");
process.exit(isAsSeen ? 0 : 1);
'
