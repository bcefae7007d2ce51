import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** Words that this project has replaced by the field's own (ADR 20). */
const RETIRED_WORDS = words(
  'poke pokes poked poking lane lanes beat beats bell bells surroundings poison poisoned poisons',
);

/** Retired names of classes, types and functions; some are ordinary words in a sentence. */
const RETIRED_NAMES = words(
  `AnswerCheck AnswerStandings Answers Bell BotCondition ChatAnswers Contact ConversationLooks Door
  Finding FlushLane FlushPort GatheredUpdates Ground HeldPosts IntakeDoor InterviewDoor KeptLines
  LaneRegistry NotionDesk Presses ReplySigns ServerHabits SettledPort SharedCommits SpokenLines
  Surroundings TroubleNotices TurnFlow UnitsOfWork UpdatesTogether VerdictFirst onCommitted takeEnded
  tellWithCommit untilItLands`,
);

/** They name what something was called before. */
const EXCEPTIONS = /^docs\/adr\/0020-|^test\/architecture\/words\.spec\.ts$/;

const ROOT = path.join(__dirname, '../..');
const FOLDERS = '.ci deploy docs examples scripts src test tools web bench'.split(' ');
const SOURCES = /\.(ts|tsx|mts|mjs|cjs|js|sql|md|ya?ml|json|html|css|sh|conf|env|example)$|^\.ci\//;
/** Not written by us, or made by a tool. */
const FOREIGN = /(^|\/)(node_modules|dist|package-lock\.json|public)(\/|$)/;
const DECLARED = /\b(?:class|interface|type|enum|function|const|let) (\w+)/g;

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

function sources(): string[] {
  const inFolders = FOLDERS.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(
      (file) => `${folder}/${file}`,
    ),
  );
  const all = [...inFolders, ...readdirSync(ROOT)];
  return all.filter((file) => SOURCES.test(file) && !FOREIGN.test(file) && !EXCEPTIONS.test(file));
}

/** The words of a text, with those of names in camelCase, snake_case and kebab-case, in lower case. */
function wordsOf(text: string): string[] {
  return text
    .replace(/([a-z\d])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/);
}

/** The places of retired words and names: in the path of a file, then line by line. */
function retiredIn(file: string, text: string): string[] {
  return [file, ...text.split('\n')].flatMap((line, n) => {
    const names = [...line.matchAll(DECLARED)].map(([, name = '']) => name);
    const found =
      wordsOf(line).find((word) => RETIRED_WORDS.has(word)) ??
      names.find((name) => RETIRED_NAMES.has(name));
    return found === undefined ? [] : [`${file}:${String(n)} ${found}: ${line.trim()}`];
  });
}

test('finds retired words in text and in names of every form, and retired names where declared', () => {
  const code = [
    'const pokedAt = 1;',
    "units.run('wake_bell', work);",
    '/** Rings the bell. */',
    'class IntakeLanes {}',
    'type ReplySigns = string;',
  ];

  for (const line of code) expect([line, retiredIn('src/x.ts', line).length]).toEqual([line, 1]);
  expect(retiredIn('src/jobs/wake-bell.ts', '')).toHaveLength(1);
  expect(retiredIn('src/x.ts', '// Answers are on the ground.')).toEqual([]);
});

test('no retired word or name is in code, comments, documents and names of files', () => {
  const found = sources().flatMap((file) =>
    retiredIn(file, readFileSync(path.join(ROOT, file), 'utf8')),
  );

  expect(found).toEqual([]);
});
