import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

/**
 * Words that this project has replaced by the field's own (ADR 20). Public names keep them: settings
 * such as TASK_LEASE, problem codes such as task_not_dead, the JSON field taskId.
 */
const RETIRED_WORDS = ['poke[sd]?', 'poking', 'lanes?', 'beats?'];

/** Retired names of classes, types and functions. */
const RETIRED_NAMES = [
  'AnswerCheck',
  'AnswerStandings',
  'Answers',
  'Bell',
  'BotCondition',
  'ChatAnswers',
  'Contact',
  'ConversationLooks',
  'Door',
  'Finding',
  'FlushLane',
  'FlushPort',
  'GatheredUpdates',
  'Ground',
  'HeldPosts',
  'IntakeDoor',
  'InterviewDoor',
  'KeptLines',
  'LaneRegistry',
  'NotionDesk',
  'Presses',
  'ReplySigns',
  'ServerHabits',
  'SettledPort',
  'SharedCommits',
  'SpokenLines',
  'Surroundings',
  'TroubleNotices',
  'TurnFlow',
  'UnitsOfWork',
  'UpdatesTogether',
  'VerdictFirst',
  'onCommitted',
  'takeEnded',
  'tellWithCommit',
  'untilItLands',
];

const RETIRED_WORD = new RegExp(`\\b(${RETIRED_WORDS.join('|')})\\b`);
/** A declaration of a retired name: most of these are also ordinary words in sentences. */
const RETIRED_NAME = new RegExp(
  `\\b(class|interface|type|function|const|enum) (${RETIRED_NAMES.join('|')})\\b`,
);
/** SQL is in repositories (`…Repository`), not in classes named after tables. */
const TABLE_CLASS = /\bclass \w+(Table|Rows)\b/;
const RETIRED = [RETIRED_WORD, RETIRED_NAME, TABLE_CLASS];

const ROOT = path.join(__dirname, '../..');
const FOLDERS = ['src', 'test', 'tools', 'bench', 'scripts', 'web/src', 'docs'];
/** They name what something was called before; `adopt` renames it. */
const EXCEPTIONS =
  /docs\/(adr\/0020-|where-rooms-came-from)|persistence\/sql\/adopt\/|bench\/results\/|words\.spec\.ts$/;
const SOURCES = /\.(ts|tsx|mjs|cjs|sql|md)$/;

function filesIn(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((file) => SOURCES.test(file) && !file.includes('node_modules'))
    .filter((file) => !EXCEPTIONS.test(file));
}

test('uses no retired word or name in code, comments and documents', () => {
  const files = [...FOLDERS.flatMap(filesIn), 'README.md', 'ARCHITECTURE.md'];
  const found = files.flatMap((file) =>
    readFileSync(path.join(ROOT, file), 'utf8')
      .split('\n')
      .flatMap((line, n) =>
        RETIRED.some((pattern) => pattern.test(line)) ? [`${file}:${n + 1} ${line.trim()}`] : [],
      ),
  );

  expect(files.length).toBeGreaterThan(900);
  expect(found).toEqual([]);
});
