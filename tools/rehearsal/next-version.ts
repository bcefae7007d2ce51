import { cpSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** One more change of the schema: a column, and the trigger function of every consent, which writes it. */
const CHANGE = {
  name: 'RehearsedChange1764999999999',
  statements: ['alter table conversation add column consented_under text'],
  functions: ['note_consent_seq'],
};
/** What the changed function writes into the new column. */
const MARK = 'the next version';

/** What the start of this version says about a database of the next one begins so. */
export const REFUSAL = `The database was migrated by a newer version of Colloquy (${CHANGE.name}), `;

/** Interviews whose consent the changed function has noted, whoever stored it, or the function of before. */
export const CONSENTED = {
  underNext: `select 1 from conversation where consented_under = '${MARK}'`,
  underThis: `select 1 from conversation where consent_at is not null and consented_under is null`,
};

/**
 * Makes the version after this one in `target`: the built tree `app` with a change that stands in no
 * source, so that a rehearsal can update from one version to another.
 */
export function writeNextVersion(app: string, target: string): void {
  mkdirSync(target);
  for (const name of readdirSync(app)) {
    if (name === 'node_modules') symlinkSync(path.join(app, name), path.join(target, name));
    else cpSync(path.join(app, name), path.join(target, name), { recursive: true });
  }
  const persistence = path.join(target, 'dist/persistence');
  rewrite(path.join(persistence, 'migrations/changes.js'), [
    /(const CHANGES = \[[^]*?)\n\];/,
    `$1,\n    ${JSON.stringify(CHANGE)}\n];`,
  ]);
  rewrite(path.join(persistence, 'sql/functions/note_consent_seq.sql'), [
    /new\.consent_seq := [^;]*;/,
    `$& new.consented_under := '${MARK}';`,
  ]);
}

function rewrite(file: string, [pattern, by]: readonly [RegExp, string]): void {
  const text = readFileSync(file, 'utf8');
  if (!pattern.test(text)) throw new Error(`${file} has no ${String(pattern)}`);
  writeFileSync(file, text.replace(pattern, by), { mode: 0o644 });
}
