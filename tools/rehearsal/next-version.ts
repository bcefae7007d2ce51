import { cpSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** One more change of the schema: a column, and the function that every message of a candidate runs. */
const CHANGE = {
  name: 'RehearsedChange1764999999999',
  statements: ['alter table message add column stored_by text'],
  functions: ['buffer_append'],
};
/** What the changed function writes into the new column. */
const MARK = 'the next version';

/** What the start of this version says about a database of the next one begins so. */
export const REFUSAL = `The database was migrated by a newer version of Colloquy (${CHANGE.name}), `;

/** The messages that the changed function has stored, or that the function of this version has. */
export const STORED = {
  byNext: `select 1 from message where stored_by = '${MARK}'`,
  byThis: `select 1 from message where buffer_id is not null and stored_by is null`,
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
    /const CHANGES = \[\s*\]/,
    `const CHANGES = [${JSON.stringify(CHANGE)}]`,
  ]);
  rewrite(
    path.join(persistence, 'sql/functions/buffer_append.sql'),
    [
      /before_reply\)\s+values \(/,
      (found) => found.replace('before_reply', 'before_reply, stored_by'),
    ],
    [/buffer_id, true\);/, `buffer_id, true, '${MARK}');`],
  );
}

type Replacement = readonly [RegExp, string | ((found: string) => string)];

function rewrite(file: string, ...replacements: readonly Replacement[]): void {
  let text = readFileSync(file, 'utf8');
  for (const [pattern, by] of replacements) {
    if (!pattern.test(text)) throw new Error(`${file} has no ${String(pattern)}`);
    text = text.replace(pattern, by as string);
  }
  writeFileSync(file, text, { mode: 0o644 });
}
