#!/bin/sh
# Transactions: with drizzle-orm and postgres.js, what a rolled back transaction does later is stored for good.
#
# Version:  drizzle-orm 0.45.4 (on pg 8.23.1) and postgres 3.4.9; beside them typeorm 1.1.1, knex 3.3.0
#           and pg-promise 12.7.1, on PostgreSQL 18.4 of embedded-postgres 18.4.0-beta.17
#           (Node 20.20).
# Guess:    when a branch of a Promise.all in a transaction's callback fails, the transaction is rolled back, and
#           nothing that the callback writes stays, whenever the other branches come to it.
# Seen:     Promise.all does not wait for the other branches. What they wrote before is rolled back; what they
#           write after goes to the same connection, outside of any transaction, and is stored: half of the
#           branch's work. The others refuse such a statement with an error.
# Output:   drizzle-orm: rolled back, a later statement ran; stored: after
#           postgres: rolled back, a later statement ran; stored: after
#           typeorm: rolled back, a later statement refused; stored: nothing
#           knex: rolled back, a later statement refused; stored: nothing
#           pg-promise: rolled back, a later statement refused; stored: nothing
# So:       await the statements of a transaction one by one, or use Promise.allSettled and throw after it.
#
# Installs into a temporary folder and runs a PostgreSQL there. Exits with 1 when the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund --silent --legacy-peer-deps \
  drizzle-orm@0.45.4 postgres@3.4.9 typeorm@1.1.1 knex@3.3.0 pg-promise@12.7.1 pg@8.23.1 \
  reflect-metadata@0.2.2 embedded-postgres@18.4.0-beta.17
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
const { setTimeout: wait } = require('node:timers/promises');
const { sql } = require('drizzle-orm');
const { drizzle } = require('drizzle-orm/node-postgres');
const knexOf = require('knex');
const pg = require('pg');
const pgPromise = require('pg-promise');
const postgres = require('postgres');
const { DataSource } = require('typeorm');
const { startPostgres } = require('./postgres.cjs');

const host = startPostgres();
const place = { host, user: 'postgres', database: 'postgres' };
const named = { host, username: 'postgres', database: 'postgres' };

/** Each runs `work` in a transaction with a function that runs a statement in it, and returns how it is closed. */
const LIBRARIES = {
  'drizzle-orm'(work) {
    const pool = new pg.Pool(place);
    return [drizzle(pool).transaction((tx) => work((text) => tx.execute(sql.raw(text)))), () => pool.end()];
  },
  postgres(work) {
    const db = postgres(place);
    return [db.begin((tx) => work((text) => tx.unsafe(text))), () => db.end()];
  },
  typeorm(work) {
    const source = new DataSource({ type: 'postgres', ...named });
    const ready = source.initialize();
    return [ready.then(() => source.transaction((tx) => work((text) => tx.query(text)))), () => source.destroy()];
  },
  knex(work) {
    const db = knexOf({ client: 'pg', connection: place });
    return [db.transaction((tx) => work((text) => tx.raw(text))), () => db.destroy()];
  },
  'pg-promise'(work) {
    const db = pgPromise({ noWarnings: true })(place);
    return [db.tx((tx) => work((text) => tx.none(text))), () => db.$pool.end()];
  },
};

async function main() {
  const look = new pg.Client(place);
  await look.connect();
  await look.query('create table log (library text, step text)');
  const lines = [];
  for (const [name, open] of Object.entries(LIBRARIES)) {
    const rolledBack = {};
    rolledBack.promise = new Promise((resolve) => (rolledBack.resolve = resolve));
    let slow;
    const [transaction, close] = open((run) => {
      const write = (step) => run(`insert into log values ('${name}', '${step}')`);
      const first = write('before');
      slow = Promise.resolve(first).then(() => rolledBack.promise).then(() => write('after'));
      return Promise.all([slow, Promise.resolve(first).then(() => Promise.reject(new Error('no')))]);
    });
    const outcome = await transaction.then(() => 'committed', () => 'rolled back');
    await wait(100);
    rolledBack.resolve();
    const later = await slow.then(() => 'ran', () => 'refused');
    await close();
    const { rows } = await look.query('select step from log where library = $1', [name]);
    lines.push(`${name}: ${outcome}, a later statement ${later}; stored: ${rows.map((row) => row.step).join(', ') || 'nothing'}`);
    console.log(lines.at(-1));
  }
  await look.end();
  const expected = Object.keys(LIBRARIES).map((name) =>
    ['drizzle-orm', 'postgres'].includes(name)
      ? `${name}: rolled back, a later statement ran; stored: after`
      : `${name}: rolled back, a later statement refused; stored: nothing`,
  );
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
