import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Queues are names without a common list: a misspelt one would collect jobs for ever. So this test
 * reads the sources: what enqueues, wakes or reads a queue must name one that has a handler.
 */

const SOURCE = join(__dirname, '../../src');
/** Migrations name the queues of earlier versions. */
const SKIPPED = /persistence\/(migrations|sql\/adopt)\//;

const HANDLER = /@JobHandler\(\s*(?:'([a-z-]+)'|([A-Z_]+))/g;
const NAMED = [
  /\bqueue: '([a-z-]+)'/g,
  /\bqueue = '([a-z-]+)'/g,
  /\bqueue [!=]== '([a-z-]+)'/g,
  /\bqueue in \(('[a-z-]+'(?:, '[a-z-]+')*)\)/g,
  /\bisOpen\('([a-z-]+)'/g,
  /\bmeasureOpen\(\w+, '([a-z-]+)'/g,
  /\bqueues\.get\('([a-z-]+)'/g,
  /\bwakeAfter\(\w+, '([a-z-]+)'/g,
  /\bworker\.wake\('([a-z-]+)'/g,
  /\bconst \w*QUEUE = '([a-z-]+)'/g,
  /into job (?:as \w+ )?\(queue,[^)]*\)\s*(?:values \(|select )'([a-z-]+)'/g,
];

interface Named {
  readonly file: string;
  readonly queue: string;
}

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(ts|sql)$/.test(file) && !SKIPPED.test(file))
  .map((file) => ({ file, text: readFileSync(join(SOURCE, file), 'utf8') }));

function constantOf(name: string): string {
  const declared = new RegExp(`const ${name} = '([a-z-]+)'`);
  const values = files.flatMap(({ text }) => declared.exec(text)?.[1] ?? []);
  return values[0] ?? `the unknown constant ${name}`;
}

function handlers(): Named[] {
  return files.flatMap(({ file, text }) =>
    [...text.matchAll(HANDLER)].map(([, literal, constant]) => ({
      file,
      queue: literal ?? constantOf(constant ?? ''),
    })),
  );
}

function named(): Named[] {
  return files.flatMap(({ file, text }) =>
    NAMED.flatMap((pattern) =>
      [...text.matchAll(pattern)].flatMap(([, queues = '']) =>
        queues.split(', ').map((queue) => ({ file, queue: queue.replaceAll("'", '') })),
      ),
    ),
  );
}

test('each queue has exactly one handler', () => {
  const queues = handlers().map(({ queue }) => queue);

  expect(queues.length).toBeGreaterThanOrEqual(8);
  expect([...new Set(queues)].sort()).toEqual([...queues].sort());
});

test('each queue that the sources name has a handler', () => {
  const known = new Set(handlers().map(({ queue }) => queue));

  expect(named().length).toBeGreaterThanOrEqual(30);
  expect(named().filter(({ queue }) => !known.has(queue))).toEqual([]);
});

test('each handler has a queue that another source fills', () => {
  const filled = new Set(named().map(({ queue }) => queue));

  expect(handlers().filter(({ queue }) => !filled.has(queue))).toEqual([]);
});

test('src/jobs names no queue', () => {
  expect(named().filter(({ file }) => file.startsWith('jobs/'))).toEqual([]);
});
