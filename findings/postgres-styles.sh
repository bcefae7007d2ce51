#!/bin/sh
# PostgreSQL's DateStyle and IntervalStyle: drivers read 12 May as 5 December, or as null, without an error.
#
# Version:  pg 8.23.1 with typeorm 1.1.1 on it, postgres 3.4.9, drizzle-orm 0.45.4 (on pg),
#           on PostgreSQL 18.4 of embedded-postgres 18.4.0-beta.17 (Node 20.20).
# Guess:    a driver asks for the formats that it can read, so `alter role … set datestyle` changes psql alone.
# Seen:     none of them asks, and each parses the text that the setting makes of the value.
#           1. postgres and drizzle-orm take the day for the month where that makes a date, and hand over an
#              Invalid Date otherwise. In pg and typeorm a stored date is null.
#           2. IntervalStyle: pg makes an empty object, a length of nothing, of every interval.
#           3. A connection that asks for both formats gets them, whatever the role has.
# Output:   1. ISO, MDY: of 2026-05-12 are read pg 2026-05-12, typeorm 2026-05-12, postgres 2026-05-12,
#                 drizzle-orm 2026-05-12
#           1. SQL, DMY: of 2026-05-12 are read pg null, typeorm null, postgres 2026-12-05,
#                 drizzle-orm 2026-12-05
#           1. German, DMY: of 2026-05-30 are read pg null, typeorm null, postgres Invalid Date,
#                 drizzle-orm Invalid Date
#           2. iso_8601: of P1DT2H3M4S pg makes {}
#           3. with options: pg 2026-05-30 and {"days":1,"hours":2,"minutes":3,"seconds":4}
# So:       send `options: '-c datestyle=ISO -c intervalstyle=postgres'` with every connection.
#
# Installs into a temporary folder and runs a PostgreSQL there. Exits with 1 when the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund --silent --legacy-peer-deps \
  drizzle-orm@0.45.4 postgres@3.4.9 typeorm@1.1.1 pg@8.23.1 reflect-metadata@0.2.2 \
  embedded-postgres@18.4.0-beta.17
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
require('reflect-metadata');
const { drizzle } = require('drizzle-orm/node-postgres');
const { pgTable, timestamp } = require('drizzle-orm/pg-core');
const pg = require('pg');
const postgres = require('postgres');
const { DataSource, EntitySchema } = require('typeorm');
const { startPostgres } = require('./postgres.cjs');

const host = startPostgres();
const place = { host, user: 'postgres', database: 'postgres' };
const named = { host, username: 'postgres', database: 'postgres' };

/** Each reads the one row's column `at`. */
const READERS = {
  async pg() {
    const db = new pg.Client(place);
    await db.connect();
    const { rows } = await db.query('select at from day');
    await db.end();
    return rows[0].at;
  },
  async typeorm() {
    const Day = new EntitySchema({ name: 'day', columns: { id: { type: 'int', primary: true }, at: { type: 'timestamptz' } } });
    const source = await new DataSource({ type: 'postgres', ...named, entities: [Day] }).initialize();
    const [row] = await source.getRepository(Day).find();
    await source.destroy();
    return row.at;
  },
  async postgres() {
    const db = postgres(place);
    const [row] = await db`select at from day`;
    await db.end();
    return row.at;
  },
  async 'drizzle-orm'() {
    const pool = new pg.Pool(place);
    const [row] = await drizzle(pool).select().from(pgTable('day', { at: timestamp({ withTimezone: true }) }));
    await pool.end();
    return row.at;
  },
};
const show = (value) => (value instanceof Date && !Number.isNaN(+value) ? value.toISOString().slice(0, 10) : String(value));

async function main() {
  const look = new pg.Client(place);
  await look.connect();
  await look.query("create table day (id int primary key, at timestamptz); insert into day values (1, '2026-05-12 10:00Z')");
  await look.query("alter role postgres set timezone to 'UTC'");
  const lines = [];
  for (const [style, date] of [['ISO, MDY', '2026-05-12'], ['SQL, DMY', '2026-05-12'], ['German, DMY', '2026-05-30']]) {
    await look.query(`alter role postgres set datestyle to '${style}'`);
    await look.query('update day set at = $1', [`${date} 10:00Z`]);
    const seen = [];
    for (const [name, read] of Object.entries(READERS)) seen.push(`${name} ${show(await read())}`);
    lines.push(`1. ${style}: of ${date} are read ${seen.join(', ')}`);
    console.log(lines.at(-1));
  }
  await look.query("alter role postgres set intervalstyle to 'iso_8601'");
  const db = new pg.Client(place);
  await db.connect();
  const { rows } = await db.query("select interval '1 day 02:03:04' as length, (interval '1 day 02:03:04')::text as text");
  await db.end();
  await look.end();
  const asking = new pg.Client({ ...place, options: '-c datestyle=ISO -c intervalstyle=postgres' });
  await asking.connect();
  const { rows: asked } = await asking.query("select at, interval '1 day 02:03:04' as length from day");
  await asking.end();
  lines.push(`2. iso_8601: of ${rows[0].text} pg makes ${JSON.stringify(rows[0].length)}`);
  console.log(lines.at(-1));
  lines.push(`3. with options: pg ${show(asked[0].at)} and ${JSON.stringify(asked[0].length)}`);
  console.log(lines.at(-1));
  const expected = [
    '1. ISO, MDY: of 2026-05-12 are read pg 2026-05-12, typeorm 2026-05-12, postgres 2026-05-12, drizzle-orm 2026-05-12',
    '1. SQL, DMY: of 2026-05-12 are read pg null, typeorm null, postgres 2026-12-05, drizzle-orm 2026-12-05',
    '1. German, DMY: of 2026-05-30 are read pg null, typeorm null, postgres Invalid Date, drizzle-orm Invalid Date',
    '2. iso_8601: of P1DT2H3M4S pg makes {}',
    '3. with options: pg 2026-05-30 and {"days":1,"hours":2,"minutes":3,"seconds":4}',
  ];
  if (lines.join('\n') !== expected.join('\n')) throw new Error('the behaviour has changed');
}

main()
  .catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  })
  .finally(() => process.exit());
END
node look.cjs
