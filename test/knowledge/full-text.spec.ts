import { CALM, TestKnowledge } from './test-knowledge';

let setup: TestKnowledge;
let vacancyId: string;

beforeAll(async () => {
  setup = await TestKnowledge.open();
  vacancyId = await setup.vacancy({
    'a.en.md': `# Work
## Holidays
Twenty-seven days.
## Remote work
You may work from home. Work here is work like other work.
## Relocation
We pay for flights and the work of an agency.
## Machines
It's a MacBook; C++ is at home in c:\\temp & elsewhere.`,
    'b.ru.md': `# Условия
## Отпуск
Двадцать восемь дней, ещё три дополнительных.
## Увольнение
За месяц.
## Связь
Оплачиваем мобильную связь и VPN.`,
  });
  await setup.vacancy({ 'a.en.md': '# Elsewhere\nHolidays of another company.' }, 'cook');
});

afterAll(async () => {
  await setup.close();
});

async function headingsFor(question: string): Promise<(string | undefined)[]> {
  const { passages, order } = await setup.search.search({ vacancyId, question, signal: CALM });
  expect(order).toBe('full_text');
  return passages.map(({ headings }) => headings.at(-1));
}

describe('a question in words', () => {
  test.each([
    ['How many days of holiday do I get?', 'Holidays'],
    ['Do you work with an agency for relocation?', 'Relocation'],
    ['and vacation?', 'Holidays'],
    ['сколько дней отпуска', 'Отпуск'],
    ['сколько еще дополнительных дней', 'Отпуск'],
    ['Как у вас увольняют?', 'Увольнение'],
    ['Есть ли vpn?', 'Связь'],
    ['C++ in c:\\temp?', 'Machines'],
  ])('%s finds first: %s', async (question, heading) => {
    expect((await headingsFor(question))[0]).toBe(heading);
  });

  test('finds only passages of its own vacancy, with their place', async () => {
    const { passages } = await setup.search.search({
      vacancyId,
      question: 'holidays',
      signal: CALM,
    });

    expect(passages).toMatchObject([
      {
        document: 'a.en.md',
        language: 'en',
        headings: ['Work', 'Holidays'],
        text: 'Twenty-seven days.',
      },
    ]);
  });

  test.each([
    ['a word that is nowhere', 'astronaut'],
    ['only stop words', 'what is it with the of'],
    ['nothing', ''],
    ['white space', ' \n\t '],
    ['marks', '\' " \\ & | ! <-> :* ( ) ; -- %'],
    ['a NUL and half a pair', '\0\ud800'],
  ])('that is %s finds nothing', async (_, question) => {
    expect(await headingsFor(question)).toEqual([]);
  });

  test.each([
    "holidays' | \\ & !:*<->()",
    'holidays\0',
    '\udc00holidays',
    `holidays ${'x'.repeat(1e5)}`,
  ])('is data, also with query syntax in it (%#)', async (question) => {
    expect(await headingsFor(question)).toContain('Holidays');
  });

  test('about a vacancy without documents finds nothing', async () => {
    const other = await setup.vacancy({}, 'smith');

    const found = await setup.search.search({ vacancyId: other, question: 'work', signal: CALM });

    expect(found).toEqual({ passages: [], order: 'full_text' });
  });

  test('finds at most ten', async () => {
    const text = Array.from({ length: 60 }, (_, n) => `# Part ${String(n)}\nwork`).join('\n');
    const other = await setup.vacancy({ 'a.md': text }, 'miller');

    const found = await setup.search.search({ vacancyId: other, question: 'work', signal: CALM });

    expect(found.passages).toHaveLength(10);
  });

  test('is not searched after the caller aborted', async () => {
    const gone = new AbortController();
    gone.abort(new Error('gone'));

    const searching = setup.search.search({ vacancyId, question: 'work', signal: gone.signal });

    await expect(searching).rejects.toThrow('gone');
  });
});
