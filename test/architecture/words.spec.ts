import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

/**
 * Words that this project has replaced by the field's own (ADR 20). Public names keep them: settings
 * such as TASK_LEASE, problem codes such as task_not_dead, the JSON field taskId.
 */
const RETIRED_WORDS = words(
  'poke pokes poked poking lane lanes beat beats bell bells surroundings poison poisoned poisons',
);

/** Words that are retired only as a part of a name: in a sentence they are ordinary. */
const RETIRED_PARTS = words(
  'gather gathers gathered gathering together standing standings ground door doors looks',
);

/** Parts that are retired only beside each other. */
const RETIRED_PAIRS = words(
  'reply-sign reply-signs contact-lost lost-contact contact-since task-postponed task-left stream-notices',
);

/** Retired names of classes, types and functions. */
const RETIRED_NAMES = words(
  `AnswerCheck AnswerStandings Answers Bell BotCondition ChatAnswers Contact ConversationLooks Door
  Finding FlushLane FlushPort GatheredUpdates Ground HeldPosts IntakeDoor InterviewDoor KeptLines
  LaneRegistry NotionDesk Presses ReplySigns ServerHabits SettledPort SharedCommits SpokenLines
  Surroundings TroubleNotices TurnFlow UnitsOfWork UpdatesTogether VerdictFirst onCommitted takeEnded
  tellWithCommit untilItLands`,
);

/** SQL is in repositories (`…Repository`), not in classes named after tables. */
const TABLE_CLASS = /\bclass \w+(Table|Rows)\b|\bclass \w+Row extends \w+Repository\b/;

/** Where a retired word stays, and why. */
const EXCEPTIONS: readonly { readonly file: RegExp; readonly line?: RegExp }[] = [
  // They name what something was called before; `adopt` renames it.
  { file: /^docs\/adr\/0020-|^src\/persistence\/sql\/adopt\// },
  { file: /^test\/architecture\/words\.spec\.ts$/ },
  // The verb "looks like".
  { file: /^(web\/src|test\/web)\//, line: /\blooksLikeContact\b/ },
  // The front door is the page at `/`, and documents show its picture by this name.
  { file: /^(docs\/start\.md|test\/browser\/pictures\/[\w-]+\.mjs)$/, line: /\bfront-door\b/ },
];

const ROOT = path.join(__dirname, '../..');
const FOLDERS = '.ci deploy docs examples scripts src test tools web bench'.split(' ');
const SOURCES = /\.(ts|tsx|mts|mjs|cjs|js|sql|md|ya?ml|json|html|css|sh|conf|env|example)$|^\.ci\//;
/** Not written by us, or made by a tool. */
const FOREIGN = /(^|\/)(node_modules|dist|package-lock\.json|public)(\/|$)/;

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
  return all.filter((file) => SOURCES.test(file) && !FOREIGN.test(file));
}

/** The words of a name in camelCase, snake_case, kebab-case or with dots, in lower case. */
function partsOf(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((part) => part !== '');
}

/** A name of several words, with a dot for a property, a label of a commit, or a file. */
const TOKEN = /[A-Za-z$_][\w$]*(?:[-.][A-Za-z$_][\w$]*)*/g;
/** A name of one word: a declaration, a field, a label of a unit of work. */
const DECLARED =
  /\b(?:class|interface|type|enum|function|const|let|readonly|private|get|set) (\w+)|\b(\w+)\??: [^ ]|\b(?:run|commit|commitOne)\(\s*'(\w+)'/g;
const COMMENT = /^\s*(\*|\/\/|\/\*|--|#)/;
const CODE = /\.(ts|tsx|mts|mjs|cjs|js|sql)$/;

/** The retired word in a line, or undefined. */
function retiredIn(file: string, line: string): string | undefined {
  if (TABLE_CLASS.test(line)) return 'a class named after a table';
  const names = line.match(TOKEN)?.map(partsOf) ?? [];
  const word = names.flat().find((part) => RETIRED_WORDS.has(part));
  if (word !== undefined) return word;
  const declared =
    CODE.test(file) && !COMMENT.test(line)
      ? [...line.matchAll(DECLARED)].map(([, a, b, c]) => a ?? b ?? c ?? '')
      : [];
  const name = declared.find((one) => RETIRED_NAMES.has(one));
  if (name !== undefined) return name;
  const compound = names.filter((parts) => parts.length > 1);
  return partIn([...compound, ...declared.map(partsOf)]);
}

function partIn(names: readonly (readonly string[])[]): string | undefined {
  for (const parts of names) {
    const part = parts.find((one) => RETIRED_PARTS.has(one));
    if (part !== undefined) return part;
    const pair = parts.find((one, n) => RETIRED_PAIRS.has(`${one}-${parts[n + 1] ?? ''}`));
    if (pair !== undefined) return `${pair}…`;
  }
  return undefined;
}

function isException(file: string, line: string): boolean {
  return EXCEPTIONS.some(
    (one) => one.file.test(file) && (one.line === undefined || one.line.test(line)),
  );
}

/** The places of retired words: in the name of a file, then line by line. */
function retiredWords(file: string, text: string): string[] {
  const lines = [file, ...text.split('\n')];
  return lines.flatMap((line, n) => {
    const found = retiredIn(file, line);
    return found === undefined || isException(file, line)
      ? []
      : [`${file}:${String(n)} ${found}: ${line.trim().slice(0, 120)}`];
  });
}

test('finds retired words in names of every form', () => {
  const code = [
    'const lostContact = 1;',
    "units.run('gather', work);",
    "uow.commit('intake.together', work);",
    'class UserRow extends NotionRepository {}',
    '/** Rings the bell. */',
    'readonly standing: Standing;',
    'type ReplySigns = string;',
  ];

  for (const line of code) expect([line, retiredWords('src/x.ts', line).length]).toEqual([line, 1]);
  expect(retiredWords('src/jobs/wake-bell.ts', '')).toHaveLength(1);
  expect(retiredWords('src/x.ts', '// They stand together on the ground.')).toEqual([]);
});

test('uses no retired word or name in code, comments, documents and names of files', () => {
  const files = sources();
  const found = files.flatMap((file) =>
    retiredWords(file, readFileSync(path.join(ROOT, file), 'utf8')),
  );

  expect(files.length).toBeGreaterThan(1400);
  expect(found).toEqual([]);
});
