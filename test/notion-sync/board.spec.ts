import fc from 'fast-check';
import { type BoardPage, readBoard, patchOf } from '../../src/notion-sync/board/board-tasks';
import {
  PROPERTY_TYPES,
  describeProblem,
  readSchema,
} from '../../src/notion-sync/board/board-schema';
import { anyBoard, CLOSED_STATUS, READING, boardSettings, day, pageOf, taskOf } from './boards';

const { names } = boardSettings;

function withProperty(page: BoardPage, name: string, value: unknown): BoardPage {
  return { ...page, properties: { ...page.properties, [name]: value } };
}

function readOne(page: BoardPage, reading: Partial<typeof READING> = {}) {
  const { tasks, problems } = readBoard([page], { ...READING, ...reading });
  const [task] = tasks;
  if (task === undefined) throw new Error('no task');
  return { task, problems };
}

function dateOf(start: string, end: string | null = null) {
  return { type: 'date', date: { start, end, time_zone: null } };
}

describe('a row of the board', () => {
  test('is read as it was written', () => {
    fc.assert(
      fc.property(anyBoard, (tasks) => {
        const { tasks: read, problems } = readBoard(tasks.map(pageOf), READING);
        expect(problems).toEqual([]);
        expect(read).toEqual(tasks);
      }),
      { numRuns: 100 },
    );
  });

  test('that Notion returns twice, because the board changed between two batches, is one task', () => {
    const page = pageOf(taskOf('a', { importance: 1 }));
    const newer = pageOf(taskOf('a', { importance: 2 }));
    const { tasks } = readBoard([page, newer], READING);
    expect(tasks.map(({ importance }) => importance)).toEqual([2]);
  });

  test('has its days in the time zone of the board; a date range is due on its last day', () => {
    const page = pageOf(taskOf('a'));
    const due = (value: unknown, timeZone: string) =>
      readOne(withProperty(page, 'Due', value), { timeZone }).task.due;
    const late = dateOf('2026-11-22T22:30:00.000+00:00');
    expect(due(late, 'UTC')).toBe('2026-11-22');
    expect(due(late, 'Europe/Berlin')).toBe('2026-11-22');
    expect(due(late, 'Europe/Moscow')).toBe('2026-11-23');
    expect(due(dateOf('2026-11-22T23:30:00'), 'Europe/Moscow')).toBe('2026-11-22');
    expect(due(dateOf('2026-11-22', '2026-11-25'), 'UTC')).toBe('2026-11-25');
    const started = withProperty(page, 'Task Started Date', dateOf('2026-11-02', '2026-11-25'));
    expect(readOne(started).task.startedOn).toBe('2026-11-02');
  });

  test('has its estimate in hours or in days, never below zero, or the default if one is set', () => {
    const hours = (estimateHours: number | null, reading: Partial<typeof READING>) =>
      readOne(pageOf(taskOf('a', { estimateHours })), reading).task.estimateHours;
    expect(hours(3, { estimateUnit: 'hours' })).toBe(3);
    expect(hours(3, { estimateUnit: 'days', hoursADay: 6 })).toBe(18);
    expect(hours(-3, {})).toBe(0);
    expect(hours(null, {})).toBeNull();
    expect(hours(null, { estimateUnit: 'days', defaultEstimate: 0.5 })).toBe(4);
    expect(hours(0, { defaultEstimate: 2 })).toBe(0);
  });

  test('keeps a value that a person entered over a written one, so that the difference is seen', () => {
    const page = pageOf(taskOf('a'));
    const projected = (value: unknown) =>
      readOne(withProperty(page, 'Projected Completion', value)).task.written.projectedCompletion;
    expect(projected(dateOf('2026-11-22', '2026-11-25'))).toBe('2026-11-22/2026-11-25');
    expect(projected(dateOf('2026-11-22T10:00:00Z'))).toBe('2026-11-22T10:00:00Z');
  });

  test('needs no property that the board does not have', () => {
    const { properties, ...page } = pageOf(taskOf('a', { blockedByIds: ['b'] }));
    const { 'Blocked By': _, ...others } = properties;
    const reading = { names: { ...names, blockedBy: null } };
    const { task, problems } = readOne({ ...page, properties: others }, reading);
    expect(task.blockedByIds).toEqual([]);
    expect(problems).toEqual([]);
  });
});

describe('an unusable property', () => {
  const page = pageOf(taskOf('a', { importance: 3, due: day('2026-11-25') }));

  test('is reported by its name, once for the whole board', () => {
    const { Importance: importance, ...others } = page.properties;
    const renamed = { ...others, Wichtigkeit: importance, Due: { type: 'rich_text' } };
    const pages = ['a', 'b'].map((id) => ({ ...page, id, properties: renamed }));
    const { tasks, problems } = readBoard(pages, READING);
    expect(tasks.map((task) => [task.importance, task.due])).toEqual([
      [null, null],
      [null, null],
    ]);
    expect(problems.map(describeProblem)).toEqual([
      'The property "Importance" is missing: restore its name, or set NOTION_PROPERTY_IMPORTANCE.',
      'The property "Due" is of type rich_text; expected date: change its type, or set NOTION_PROPERTY_DUE.',
    ]);
  });

  test('may have the right type and an invalid value', () => {
    const odd = withProperty(page, 'Due', dateOf('someday'));
    const broken = withProperty(odd, 'Importance', { type: 'number', number: 'high' });
    expect(readOne(broken).problems.map(describeProblem)).toEqual([
      'The property "Importance" has a value that is not a number on the page a: correct it there, or set NOTION_PROPERTY_IMPORTANCE.',
      'The property "Due" has a value that is not a date on the page a: correct it there, or set NOTION_PROPERTY_DUE.',
    ]);
  });

  test('names the pages that have an invalid value, and no page when it is missing everywhere', () => {
    const read = (ids: readonly string[]) => {
      const { Importance: _, ...others } = page.properties;
      const odd = { ...others, Due: dateOf('someday') };
      const pages = ids.map((id) => ({ ...page, id, properties: odd }));
      return readBoard([...pages, pageOf(taskOf('fine'))], READING).problems.map(describeProblem);
    };
    expect(read(['a', 'b', 'a'])).toEqual([
      'The property "Importance" is missing: restore its name, or set NOTION_PROPERTY_IMPORTANCE.',
      'The property "Due" has a value that is not a date on the pages a, b: correct it there, or set NOTION_PROPERTY_DUE.',
    ]);
    expect(read(['a', 'b', 'c', 'd', 'e'])[1]).toContain(
      'on the pages a, b, c and 2 more: correct',
    );
  });

  test('may be a date in a year of five digits', () => {
    const far = withProperty(page, 'Due', dateOf('9999-12-31T23:00:00.000Z'));
    const { task, problems } = readOne(far, { timeZone: 'Pacific/Apia' });
    expect(task.due).toBeNull();
    expect(problems).toMatchObject([{ key: 'due', found: 'unreadable' }]);
  });

  test('never makes the read fail, whatever its value', () => {
    const keys = Object.keys(PROPERTY_TYPES) as (keyof typeof PROPERTY_TYPES)[];
    const type = fc.constantFrom(...Object.values(PROPERTY_TYPES), 'formula');
    const typed = fc.tuple(type, fc.anything()).map(([name, value]) => ({
      type: name,
      [name]: value,
    }));
    const wildDate = fc.string().map((start) => dateOf(start));
    const farDate = fc.date().map((date) => dateOf(Number.isNaN(+date) ? '' : date.toISOString()));
    const wild = fc.oneof(fc.anything(), typed, wildDate, farDate);
    fc.assert(
      fc.property(fc.constantFrom(...keys), wild, fc.string(), (key, value, created) => {
        const changed = withProperty({ ...page, created_time: created }, names[key] ?? '', value);
        const { task, problems } = readOne(changed, { timeZone: 'Pacific/Apia' });
        expect(task.pageId).toBe('a');
        expect(problems.every((problem) => problem.key === key)).toBe(true);
        expect(problems.map(describeProblem).join('')).not.toContain('undefined');
      }),
      { numRuns: 500 },
    );
  });

  test('is missing although the object prototype has a member of the same name', () => {
    const reading = { names: { ...names, importance: 'constructor' } };
    expect(readOne(page, reading).problems).toMatchObject([{ found: 'missing' }]);
  });
});

describe('the schema of a data source', () => {
  const schema: Record<string, unknown> = {
    ...Object.fromEntries<unknown>(
      Object.entries(PROPERTY_TYPES).map(([key, type]) => [
        names[key as keyof typeof PROPERTY_TYPES] ?? '',
        { id: key, type, [type]: {} },
      ]),
    ),
    Status: {
      id: 'status',
      type: 'status',
      status: {
        options: [
          { id: 'status-open', name: 'Open' },
          { id: CLOSED_STATUS, name: 'Done' },
        ],
        groups: [
          { id: '1', name: 'To-do', option_ids: ['status-open'] },
          { id: '2', name: 'Complete', option_ids: [CLOSED_STATUS, 'status-dropped'] },
        ],
      },
    },
  };

  test('contains the closed statuses and the ids of the used properties', () => {
    expect(readSchema({ ...schema, Notes: { id: 'notes', type: 'rich_text' } }, names)).toEqual({
      closedStatusIds: new Set([CLOSED_STATUS, 'status-dropped']),
      statuses: [
        { name: 'Open', isClosed: false },
        { name: 'Done', isClosed: true },
      ],
      propertyIds: Object.keys(PROPERTY_TYPES),
      problems: [],
    });
  });

  test('reports missing, mistyped and unreadable properties', () => {
    const { 'At risk': _, ...others } = schema;
    const broken = { ...others, Estimate: { type: 'select' }, Status: { type: 'status' } };
    expect(readSchema(broken, names).problems.map(describeProblem)).toEqual([
      'The property "Estimate" is of type select; expected number: change its type, or set NOTION_PROPERTY_ESTIMATE.',
      'The property "At risk" is missing: restore its name, or set NOTION_PROPERTY_AT_RISK.',
      'The property "Status" has a value that is not a status: correct it, or set NOTION_PROPERTY_STATUS.',
    ]);
    const groups = [{ id: '1', name: 'To-do', option_ids: ['status-open'] }];
    const status = { id: 'status', type: 'status', status: { options: [], groups } };
    expect(readSchema({ ...schema, Status: status }, names).problems.map(describeProblem)).toEqual([
      'The property "Status" has no group "Complete", so closed tasks cannot be recognised: move their statuses into that group.',
    ]);
    const without = readSchema({ ...schema, Status: { type: 'select' } }, names);
    expect(without.closedStatusIds).toEqual(new Set());
    expect(without.problems).toMatchObject([{ key: 'status', found: { type: 'select' } }]);
    expect(readSchema(broken, { ...names, atRisk: null }).problems).toHaveLength(2);
  });
});

test('written values have the shape of the API, and only properties of the board are written', () => {
  const values = { queueRank: 3, projectedCompletion: '2026-11-25', atRisk: true };
  expect(patchOf(values, names)).toEqual({
    'Queue Rank': { number: 3 },
    'Projected Completion': { date: { start: '2026-11-25' } },
    'At risk': { checkbox: true },
  });
  expect(patchOf({ projectedCompletion: null }, names)).toEqual({
    'Projected Completion': { date: null },
  });
  expect(patchOf(values, { ...names, projectedCompletion: null, atRisk: null })).toEqual({
    'Queue Rank': { number: 3 },
  });
});
