import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

/**
 * Words that this project has given up for the field's own (ADR 20). Public names keep them: settings
 * such as TASK_LEASE, problem codes such as task_not_dead, the JSON field taskId.
 */
const RETIRED =
  /\b(poke[sd]?|lanes?|beats?|untilItLands|onCommitted|tellWithCommit|NotionDesk|Surroundings|LaneRegistry|FlushPort|SettledPort)\b/;

const ROOT = path.join(__dirname, '../..');
const FOLDERS = ['src', 'test', 'tools', 'bench', 'scripts', 'web/src', 'docs'];
/** They name what something was called before; `adopt` renames it. */
const EXCEPTIONS = /docs\/adr\/0020-|persistence\/sql\/adopt\/|bench\/results\/|words\.spec\.ts$/;
const SOURCES = /\.(ts|tsx|mjs|cjs|sql|md)$/;

function filesIn(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((file) => SOURCES.test(file) && !file.includes('node_modules'))
    .filter((file) => !EXCEPTIONS.test(file));
}

test('uses no retired word in code, comments and documents', () => {
  const files = [...FOLDERS.flatMap(filesIn), 'README.md', 'ARCHITECTURE.md'];
  const found = files.flatMap((file) =>
    readFileSync(path.join(ROOT, file), 'utf8')
      .split('\n')
      .flatMap((line, n) => (RETIRED.test(line) ? [`${file}:${n + 1} ${line.trim()}`] : [])),
  );

  expect(files.length).toBeGreaterThan(900);
  expect(found).toEqual([]);
});
