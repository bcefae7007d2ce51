import { hashToken } from '../../src/common/ids';
import { ConversationRepository } from '../../src/interview';
import { PersonalDataService } from '../../src/privacy';
import { closeInterviews, live, startInterviews, words } from '../interview/interviews';
import { type Interviewee, newCandidate } from '../interview/interviewee';
import type { TestApp } from '../support/app';
import { type Colleague, colleague } from '../support/colleague';
import { outcomeOf } from '../support/keys';

const ANSWERED = JSON.stringify({ verdict: 'answered', sources: '', text: 'Thank you.' });

interface Comment {
  readonly id: string;
  readonly questionId: string | null;
  readonly author: string;
  readonly isOwn: boolean;
  readonly text: string;
  readonly editedAt: string | null;
}
interface Comments {
  readonly items: readonly Comment[];
  readonly closed: readonly string[];
  readonly isClosed: boolean;
}

let app: TestApp;
let nora: Colleague;
let omar: Colleague;
let people = 0;

beforeAll(async () => {
  app = await startInterviews();
  app.model.always({ kind: 'completion', content: ANSWERED });
});

beforeEach(async () => {
  people += 1;
  nora = await colleague(app, { name: `Nora ${String(people)}`, role: 'recruiter' });
  omar = await colleague(app, { name: `Omar ${String(people)}`, role: 'recruiter' });
});

afterAll(() => closeInterviews(app));

async function finished(): Promise<Interviewee> {
  const candidate = await newCandidate(app);
  for (const about of ['rye bread', 'the reason for bread', 'the hour of four']) {
    await candidate.answer(words(about));
  }
  await live(app, 10_000);
  return candidate;
}

const placeOf = ({ id }: Interviewee, comment?: string): string =>
  `/api/v1/interviews/${id}/comments${comment === undefined ? '' : `/${comment}`}`;

function write(
  by: Colleague,
  on: Interviewee,
  text: string,
  { questionId, key }: { questionId?: string | null; key?: string } = {},
): Promise<Response> {
  const body = { text, ...(questionId === undefined ? {} : { questionId }) };
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  return by.request('POST', placeOf(on), { body, headers });
}

async function written(...of: Parameters<typeof write>): Promise<Comment> {
  const response = await write(...of);
  expect(response.status).toBe(201);
  return (await response.json()) as Comment;
}

async function seen(by: Colleague, on: Interviewee, query = ''): Promise<Comments> {
  const response = await by.request('GET', placeOf(on) + query);
  expect(response.status).toBe(200);
  return (await response.json()) as Comments;
}

async function stored({ id }: Interviewee): Promise<string[]> {
  const rows = await app.sql<{ text: string }>(
    'select text from interview_comment where conversation_id = $1',
    [id],
  );
  return rows.map(({ text }) => text);
}

const textsOf = ({ items }: Comments): string[] => items.map(({ text }) => text);

function rate(by: Colleague, { id }: Interviewee, question: string, mark: number) {
  return by.request('PUT', `/api/v1/interviews/${id}/ratings/${question}`, {
    body: { criteria: [{ name: 'answer', mark }] },
  });
}

async function audited(subjectId: string): Promise<string[]> {
  const rows = await app.sql<{ line: string }>(
    `select actor || ': ' || action as line from audit_event where subject_hash = $1 order by id`,
    [hashToken(subjectId)],
  );
  return rows.map(({ line }) => line);
}

async function candidateOf({ id }: Interviewee): Promise<string> {
  const found = await app.commit((tx) => app.get(ConversationRepository).find(tx, id));
  return found?.candidateId ?? '';
}

describe('comments of colleagues', () => {
  test('are shown after one’s own rating of what they are about', async () => {
    const candidate = await finished();
    await written(omar, candidate, 'Names the flour.', { questionId: 'last' });
    await written(omar, candidate, 'Let us hire her.');
    await written(nora, candidate, 'Ask about flour.', { questionId: 'last' });

    const before = await seen(nora, candidate);
    await rate(nora, candidate, 'last', 4);
    const between = await seen(nora, candidate);
    await rate(nora, candidate, 'why', 3);
    const after = await seen(nora, candidate);

    expect(before).toMatchObject({ closed: ['last', 'why'], isClosed: true });
    expect(textsOf(before)).toEqual(['Ask about flour.']);
    expect(between).toMatchObject({ closed: ['why'], isClosed: true });
    expect(textsOf(between)).toEqual(['Names the flour.', 'Ask about flour.']);
    expect(after).toMatchObject({ closed: [], isClosed: false });
    expect(after.items.map(({ author, isOwn, text }) => [author, isOwn, text])).toEqual([
      [omar.name, false, 'Names the flour.'],
      [omar.name, false, 'Let us hire her.'],
      [nora.name, true, 'Ask about flour.'],
    ]);
  });

  test('do not show before that even in their number', async () => {
    const candidate = await finished();
    const before = await seen(nora, candidate);

    await written(omar, candidate, 'Names the flour.', { questionId: 'last' });
    await written(omar, candidate, 'Let us hire her.');

    expect(await seen(nora, candidate)).toEqual(before);
  });

  test('fix one’s own rating once they are shown, and with ?only=own they are not', async () => {
    const candidate = await finished();
    await written(omar, candidate, 'Names the flour.', { questionId: 'last' });
    await rate(nora, candidate, 'last', 4);
    await rate(nora, candidate, 'why', 4);

    expect(textsOf(await seen(nora, candidate, '?only=own'))).toEqual([]);
    expect(await outcomeOf(await rate(nora, candidate, 'last', 3))).toBe('200');
    expect(textsOf(await seen(nora, candidate))).toEqual(['Names the flour.']);

    expect(await outcomeOf(await rate(nora, candidate, 'last', 2))).toBe('409 rating_fixed');
    expect(await outcomeOf(await rate(nora, candidate, 'why', 2))).toBe('200');
    await written(omar, candidate, 'Let us hire her.');
    await seen(nora, candidate);
    expect(await outcomeOf(await rate(nora, candidate, 'why', 5))).toBe('409 rating_fixed');
  });

  test('are hidden while the interview runs, and shown when it has ended without answers to rate', async () => {
    const candidate = await newCandidate(app);
    await candidate.answer(words('rye bread'));
    await written(omar, candidate, 'She called me.');

    expect(textsOf(await seen(nora, candidate))).toEqual([]);
    await candidate.withdraw();

    expect(textsOf(await seen(nora, candidate))).toEqual(['She called me.']);
  });

  test('are changed and deleted by their author alone, and nobody else learns of them', async () => {
    const candidate = await finished();
    const { id } = await written(nora, candidate, 'Ask about flour.');
    const edit = (by: Colleague, comment = id): Promise<Response> =>
      by.request('PATCH', placeOf(candidate, comment), { body: { text: 'Ask about salt.' } });
    const remove = (by: Colleague): Promise<Response> =>
      by.request('DELETE', placeOf(candidate, id));

    const ofOther = [await outcomeOf(await edit(omar)), await outcomeOf(await remove(omar))];
    const ofNone = await outcomeOf(await edit(omar, 'nothing'));
    const edited = (await (await edit(nora)).json()) as Comment;
    const [removed, again] = [await remove(nora), await remove(nora)];

    expect([...ofOther, ofNone]).toEqual(Array(3).fill('404 comment_unknown'));
    expect(edited).toMatchObject({ id, text: 'Ask about salt.', isOwn: true });
    expect(edited.editedAt).not.toBeNull();
    expect([removed.status, await outcomeOf(again)]).toEqual([204, '404 comment_unknown']);
    expect(await stored(candidate)).toEqual([]);
    const actor = `user ${nora.name}`;
    expect(await audited(candidate.id)).toEqual([
      `${actor}: comment.write`,
      `${actor}: comment.edit`,
      `${actor}: comment.delete`,
    ]);
  });

  test('of two who write at once are both kept, and a repeat with its key writes none anew', async () => {
    const candidate = await finished();

    await Promise.all([
      written(nora, candidate, 'One.', { key: 'comment-1' }),
      written(omar, candidate, 'Other.'),
    ]);
    const repeated = await write(nora, candidate, 'One.', { key: 'comment-1' });

    expect(repeated.headers.get('idempotent-replayed')).toBe('true');
    expect(textsOf(await seen(nora, candidate))).toEqual(['One.']);
    expect(textsOf(await seen(omar, candidate))).toEqual(['Other.']);
  });

  test('are refused for an unknown question, without words, and beyond their number', async () => {
    const candidate = await finished();

    const outcomes = [
      await outcomeOf(await write(nora, candidate, 'Why?', { questionId: 'nothing' })),
      await outcomeOf(await write(nora, candidate, '  ')),
      await outcomeOf(await write(nora, candidate, 'x'.repeat(2001))),
    ];
    await app.sql(
      `insert into interview_comment (id, conversation_id, user_id, author, text, created_at)
       select gen_random_uuid(), $1, (select id from app_user where name = $2), $2, 'x', now()
       from generate_series(1, 200) returning id`,
      [candidate.id, omar.name],
    );
    outcomes.push(await outcomeOf(await write(nora, candidate, 'One more.')));

    const [refused, invalid] = ['422 comment_refused', '422 invalid_body'];
    expect(outcomes).toEqual([refused, invalid, invalid, refused]);
  });

  test('of an interview beyond one’s vacancies are unknown, and viewers have none', async () => {
    const candidate = await finished();
    const elsewhere = await app.addVacancy({ slug: `elsewhere-${String(people)}` });
    const [limited, viewer] = [
      await colleague(app, {
        name: `Ilse ${String(people)}`,
        role: 'interviewer',
        vacancyIds: [elsewhere.id],
      }),
      await colleague(app, { name: `Vera ${String(people)}`, role: 'viewer' }),
    ];

    expect(await outcomeOf(await write(limited, candidate, 'Hello.'))).toBe(
      '404 conversation_unknown',
    );
    expect(await outcomeOf(await limited.request('GET', placeOf(candidate)))).toBe(
      '404 conversation_unknown',
    );
    expect(await outcomeOf(await viewer.request('GET', placeOf(candidate)))).toBe(
      '403 scope_missing',
    );
  });
});

describe('personal data', () => {
  test('a candidate’s export has the comments, and whoever got it rates no more what they tell', async () => {
    const candidate = await finished();
    await written(omar, candidate, 'Names the flour.', { questionId: 'last' });
    const path = `/api/v1/admin/candidates/${await candidateOf(candidate)}/export`;

    const response = await nora.request('GET', path);

    const { holders } = (await response.json()) as { holders: { comments: unknown[] } };
    expect(holders.comments).toMatchObject([
      { questionId: 'last', author: omar.name, text: 'Names the flour.' },
    ]);
    expect(JSON.stringify(holders.comments)).not.toContain('userId');
    expect(await outcomeOf(await rate(nora, candidate, 'last', 5))).toBe('409 rating_fixed');
    expect(await outcomeOf(await rate(nora, candidate, 'why', 5))).toBe('200');
    expect(textsOf(await seen(nora, candidate))).toContain('Names the flour.');
  });

  test('an erasure in the middle leaves no comment', async () => {
    const candidate = await finished();
    await written(omar, candidate, 'Names the flour.');
    const candidateId = await candidateOf(candidate);

    const [outcome] = await Promise.all([
      write(nora, candidate, 'Names the salt.').then(outcomeOf),
      app.commit((tx) => app.get(PersonalDataService).erase(tx, candidateId)),
    ]);

    expect(['201', '404 conversation_unknown']).toContain(outcome);
    expect(await stored(candidate)).toEqual([]);
    expect(await outcomeOf(await nora.request('GET', placeOf(candidate)))).toBe(
      '404 conversation_unknown',
    );
  });
});
