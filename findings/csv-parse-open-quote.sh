#!/bin/sh
# csv-parse: an unclosed quotation mark is named by the last line of the file, or, with relax_quotes, by nothing.
#
# Version:  csv-parse 7.0.3 (Node 20.20).
# Guess:    CSV_QUOTE_NOT_CLOSED says in which line the quotation mark opens; and `relax_quotes` only keeps
#           quotation marks in the middle of a cell, so that it does not change which lines are rows.
# Seen:     1. the message says "an opening quote at line 5", which is the last line; it opens in line 2.
#           2. with relax_quotes, the next quoted cell of a later row ends the open one: all rows in between
#              become one cell, without an error. 1,000 rows with one typing error may become two rows.
# Output:   strict: CSV_INVALID_CLOSING_QUOTE, at line 4
#           strict, no later quotation mark: CSV_QUOTE_NOT_CLOSED, line 5 (it opens in line 2)
#           relaxed: 3 records of 5; the second is ["Ada","\"x\nBob,y\nCid,\"z\""]
# So:       look for quotation marks that close in another line in the middle of a cell before parsing with
#           relax_quotes, and keep the line in which each of them opens.
#
# Installs into a temporary folder. Exits with 1 when the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund --silent csv-parse@7.0.3
cat >look.mjs <<'END_OF_LOOK'
import { parse } from 'csv-parse/sync';

const CLOSED_LATER = 'name,note\nAda,"x\nBob,y\nCid,"z"\nDan,v\n';
const NEVER_CLOSED = 'name,note\nAda,"x\nBob,y\nCid,z\nDan,v\n';

function errorOf(text) {
  try {
    parse(text);
    return { code: 'none', message: '' };
  } catch (error) {
    return error;
  }
}

const invalid = errorOf(CLOSED_LATER);
const open = errorOf(NEVER_CLOSED);
const records = parse(CLOSED_LATER, { relax_quotes: true });
const named = /opening quote at line (\d+)/.exec(open.message)?.[1];
console.log(`strict: ${invalid.code}, ${/at line \d+/.exec(invalid.message)?.[0]}`);
console.log(`strict, no later quotation mark: ${open.code}, line ${named} (it opens in line 2)`);
console.log(`relaxed: ${records.length} records of 5; the second is ${JSON.stringify(records[1])}`);
const isAsSeen =
  invalid.code === 'CSV_INVALID_CLOSING_QUOTE' &&
  open.code === 'CSV_QUOTE_NOT_CLOSED' &&
  named === '5' &&
  records.length === 3 &&
  records[1][1].includes('\nBob');
if (!isAsSeen) console.error('the behaviour has changed');
process.exit(isAsSeen ? 0 : 1);
END_OF_LOOK
node look.mjs
