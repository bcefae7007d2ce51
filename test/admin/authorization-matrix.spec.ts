import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AttentionAlerts } from '../../src/attention';
import { ROLES, SCOPES, type Role, UserLinks, scopesOf } from '../../src/access';
import { signingKey } from '../../src/scoring';
import { FakeClock } from '../../tools/support/fake-clock';
import { type TestApp, startTestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';
import { type TestKey, bearer, makeKey, outcomeOf, revokeKey } from '../support/keys';
import { ADMIN_TOKEN } from '../support/secrets';
import { type TestUser, makeUser, signIn } from '../support/users';

/**
 * Who may call what, tried for every operation that the OpenAPI document names. The rule of an operation is
 * its `security` there: a scope, the session of a candidate, or nothing where it is listed here as public. So
 * a new operation without a rule fails, and one with a rule is tried without a line in this file, as long as the
 * examples of the document are valid requests.
 */

const PUBLIC = [
  'GET /api/v1/invites/{token}',
  'GET /api/v1/team/oidc',
  'GET /api/v1/team/oidc/callback',
  'POST /api/v1/sessions',
  'GET /api/v1/team/sign-in',
  'POST /api/v1/team/session',
  'DELETE /api/v1/team/session',
  'GET /api/v1/team/links/{token}',
  'POST /api/v1/team/links/{token}',
];

/** What no key and no token can have. */
const PERSONAL = [
  'ratings:write',
  'decisions:write',
  'users:write',
  'previews:write',
  'retention:run',
];

let keysMade = 0;

let vacanciesMade = 0;

/** The file of a small vacancy. */
function vacancyFile(slug: string): object {
  const question = { id: 'last', text: 'What did you bake last?', rubric: 'A bread.' };
  const texts = { greeting: 'Hello.', closing: 'Thank you.', questions: [question] };
  const owner = { name: 'Ada' };
  return { slug, language: 'en', title: 'Cook', company: 'Crumb', owner, ...texts };
}

/** Closed, opened again and replaced by this test, so that the other operations have theirs as it was. */
const CHANGED = 'changed';

/** Where the example of the document is not a request that succeeds here. */
const BODIES: Readonly<Record<string, (subject: Subject) => unknown>> = {
  'POST /api/v1/interviews/actions': ({ candidate }) => {
    return { action: 'close', interviewIds: [candidate.conversationId] };
  },
  'POST /api/v1/vacancies': () => {
    vacanciesMade += 1;
    return vacancyFile(`made-${String(vacanciesMade)}`);
  },
  'PUT /api/v1/vacancies/{slug}/file': () => vacancyFile(CHANGED),
  'POST /api/v1/vacancies/{slug}/invitation-imports': () => [{ name: 'Ada' }],
  'POST /api/v1/users/invitations': () => ({ role: 'viewer' }),
  'POST /api/v1/keys': () => {
    keysMade += 1;
    return { name: `matrix-${String(keysMade)}`, scopes: ['keys:write'] };
  },
};

/** Operations that nobody can call with success on the interview of this test. */
const UNSUCCESSFUL: Readonly<Record<string, string>> = {
  'POST /api/v1/admin/attention/{id}/replay': '409 attention_not_replayable',
  'GET /api/v1/admin/conversations/{id}/voices/{messageId}/audio': '404 voice_unknown',
  'PUT /api/v1/vacancies/{slug}/documents/{name}': '422 document_refused',
  'DELETE /api/v1/vacancies/{slug}/documents/{name}': '404 document_unknown',
  'PUT /api/v1/vacancies/{slug}/logo': '422 logo_refused',
  'PUT /api/v1/interviews/{id}/ratings/{questionId}': '422 rating_refused',
  'GET /api/v1/vacancies/{slug}/versions/{version}': '404 vacancy_version_unknown',
};

/** About all vacancies at once, so a key that is limited to some is refused whatever its scopes are. */
const OF_ALL_VACANCIES = [
  'GET /api/v1/audit',
  'GET /api/v1/audit/export',
  'GET /api/v1/retention',
  'POST /api/v1/vacancies',
];

/** They change nothing and read no words of a candidate. */
const NOT_AUDITED = [
  'POST /api/v1/vacancies/validate',
  'GET /api/v1/interviews',
  'GET /api/v1/admin/candidates',
  'GET /api/v1/interviews/waiting',
  'POST /api/v1/admin/attention/{id}/typing',
];

/** It reads words of nobody, but a file of it leaves. */
const AUDIT_FILE = 'GET /api/v1/audit/export';
/** Whose `{slug}` is that of a vacancy of its own. */
const CHANGING = /\/vacancies\/\{slug\}\/(file|close|reopen|logo|documents.*)$/;

interface Schema {
  readonly $ref?: string;
  readonly examples?: readonly unknown[];
}
interface Described {
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema }>> };
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}
interface Operation extends Described {
  readonly name: string;
  readonly method: string;
  readonly path: string;
}

/** An interview that waits for a person, with a file, and what its team knows of it. */
interface Subject {
  readonly candidate: TestCandidate;
  readonly candidateId: string;
  readonly itemId: string;
  readonly messageId: string;
  readonly importId: string;
  readonly invitationId: string;
  readonly decisionId: string;
  readonly key: TestKey;
  readonly colleague: TestUser;
  readonly linkId: string;
}

const clock = new FakeClock();
let app: TestApp;
/** With the key that signs decision files. */
let folder: string;
let operations: Operation[];
let document: Document;
/** By scope, a key that has this one alone. */
const alone = new Map<string, TestKey>();
let elsewhere: TestKey;
let here: TestKey;
let revoked: TestKey;
let expired: TestKey;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colloquy-matrix-'));
  await signingKey(folder);
  const env = { ADMIN_TOKEN, COLLOQUY_DATA_DIR: folder };
  app = await startTestApp({ clock, isWorking: false, env });
  document = (await (await fetch(`${app.url}/docs/openapi.json`)).json()) as Document;
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([verb, described]) => {
      const method = verb.toUpperCase();
      return { ...described, name: `${method} ${path}`, method, path };
    }),
  );
  for (const scope of SCOPES) alone.set(scope, await makeKey(app, { scopes: [scope] }));
  const { id } = await app.addVacancy({ slug: 'another' });
  elsewhere = await makeKey(app, { vacancyIds: [id] });
  const changed = await app.addVacancy({ slug: CHANGED });
  here = await makeKey(app, { vacancyIds: [app.vacancy.id, changed.id] });
  revoked = await makeKey(app);
  await revokeKey(app, revoked);
  expired = await makeKey(app, { expiresAt: new Date(clock.now().getTime() + 1000) });
  clock.advance(1000);
});

// Wrong tokens are counted by the minute.
beforeEach(() => {
  clock.advance(60_000);
});

afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true });
});

/** Those that a key may call. */
function ofTeam(): Operation[] {
  return operations.filter(({ security }) => security?.[0]?.['admin'] !== undefined);
}

/** Those that a person may call who has signed in. */
function ofPeople(): Operation[] {
  return operations.filter((operation) => peopleRule(operation) !== undefined);
}

/** The scope, or nothing for everybody who has signed in; undefined: it is not for people. */
function peopleRule({ security = [] }: Operation): readonly string[] | undefined {
  return security.flatMap(({ team }) => (team === undefined ? [] : [team]))[0];
}

function scopeOf(operation: Operation): string {
  return operation.security?.[0]?.['admin']?.[0] ?? peopleRule(operation)?.[0] ?? 'none';
}

async function subjectOf(): Promise<Subject> {
  const candidate = await TestCandidate.begin(app);
  const { conversationId } = candidate;
  const sent = await candidate.attach('f1', Buffer.from('%PDF-1.7\nmy letter'));
  const { messageId } = (await sent.json()) as { messageId: string };
  await candidate.post('human');
  const { candidateId } = await app.one<{ candidateId: string }>(
    'select candidate_id as "candidateId" from conversation where id = $1',
    [conversationId],
  );
  const { itemId } = await app.one<{ itemId: string }>(
    'select id as "itemId" from attention where conversation_id = $1',
    [conversationId],
  );
  const imported = await fetch(
    `${app.url}/api/v1/vacancies/${app.vacancy.slug}/invitation-imports`,
    {
      method: 'POST',
      headers: { ...bearer({ token: ADMIN_TOKEN }), 'content-type': 'text/csv' },
      body: 'name\nBob\n',
    },
  );
  const { id: importId } = (await imported.json()) as { id: string };
  const invited = await fetch(`${app.url}/api/v1/vacancies/${app.vacancy.slug}/invitations`, {
    method: 'POST',
    headers: { ...bearer({ token: ADMIN_TOKEN }), 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Carol' }),
  });
  const { id: invitationId } = (await invited.json()) as { id: string };
  const { decisionId } = await app.one<{ decisionId: string }>(
    `insert into decision (candidate_id, decided_by, reason, decided_at)
     values ($1, 'Nora', 'A reason.', now()) returning id::text as "decisionId"`,
    [candidateId],
  );
  const key = await makeKey(app);
  const colleague = await makeUser(app, { role: 'viewer' });
  const colleagueToBe = { role: 'viewer', vacancyIds: null, name: null, email: null } as const;
  const { link } = await app.commit((tx) =>
    app.get(UserLinks).invite(tx, { ...colleagueToBe, createdBy: 'the tests' }),
  );
  const ids = { candidateId, itemId, messageId, importId, invitationId, decisionId };
  return { candidate, ...ids, key, colleague, linkId: link.id };
}

function idIn(path: string, subject: Subject): string {
  const { candidate, candidateId, itemId, importId, invitationId, decisionId, key } = subject;
  if (path.includes('/users/invitations/')) return subject.linkId;
  if (path.includes('/users/')) return subject.colleague.id;
  if (path.includes('/decisions/')) return decisionId;
  if (path.includes('/invitations/')) return invitationId;
  if (path.includes('/attention/')) return itemId;
  if (path.includes('/candidates/')) return candidateId;
  if (path.includes('/keys/')) return key.id;
  if (path.includes('/invitation-imports/')) return importId;
  return candidate.conversationId;
}

/** A valid request of an operation about this interview, with these headers. */
async function call(
  { name, method, path, requestBody }: Operation,
  subject: Subject,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const params: Readonly<Record<string, string>> = {
    id: idIn(path, subject),
    messageId: subject.messageId,
    questionId: 'last',
    commentId: subject.messageId,
    token: app.vacancy.openToken,
    slug: CHANGING.test(path) ? CHANGED : app.vacancy.slug,
  };
  const place = path.replace(/\{(\w+)\}/g, (_, param: string) => params[param] ?? 'missing');
  const json = requestBody?.content['application/json'];
  const [type] = Object.keys(requestBody?.content ?? {});
  const value = json === undefined ? null : (BODIES[name]?.(subject) ?? exampleOf(json.schema));
  const body = json === undefined ? 'bytes' : JSON.stringify(value);
  return fetch(app.url + place, {
    method,
    headers: {
      ...headers,
      ...(method === 'PUT' ? { 'if-match': '*' } : {}),
      ...(path.endsWith('/decisions') ? { 'if-match': `"${subject.decisionId}"` } : {}),
      ...(type === undefined ? {} : { 'content-type': type }),
    },
    ...(type === undefined ? {} : { body }),
  });
}

function exampleOf({ $ref = '', examples }: Schema): unknown {
  const { [$ref.split('/').at(-1) ?? '']: named } = document.components.schemas;
  return (examples ?? named?.examples)?.[0];
}

/** The refusal that a caller without the right gets; `let in` for any other response. */
async function refusalOf(response: Response): Promise<string> {
  const outcome = await outcomeOf(response);
  // Whoever is let in has yet to show the own password.
  if (outcome === '401 sign_in_wrong') return 'let in';
  return /^40[13] /.test(outcome) ? outcome : 'let in';
}

async function auditedBy({ name }: TestKey): Promise<number> {
  const { count } = await app.one<{ count: number }>(
    'select count(*)::int as count from audit_event where actor = $1',
    [`key ${name}`],
  );
  return count;
}

test('every operation of the API has a rule: a scope, the session of a candidate, or it is public', () => {
  const ofKeys: readonly string[] = SCOPES;
  const withoutRule = operations.filter((operation) => {
    const { name, security = [] } = operation;
    if (security.length === 0) return !PUBLIC.includes(name);
    const schemes = security.flatMap((one) => Object.keys(one)).join(' and ');
    if (schemes === 'session') return false;
    const scope = scopeOf(operation);
    // Whatever a key may do a person with the scope may do as well, and not the other way round.
    if (schemes === 'admin and team') {
      return !ofKeys.includes(scope) || peopleRule(operation)?.[0] !== scope;
    }
    const isOfEverybody = scope === 'none' && name.includes(' /api/v1/team/');
    return schemes !== 'team' || !(isOfEverybody || PERSONAL.includes(scope));
  });

  expect(operations.length).toBeGreaterThan(53);
  expect(withoutRule.map(({ name }) => name)).toEqual([]);
  expect(PUBLIC.filter((name) => !operations.some((one) => one.name === name))).toEqual([]);
});

test('an operation of the team lets in its scope alone, and nobody without a live key', async () => {
  expect(ofTeam().length).toBeGreaterThan(26);
  for (const operation of ofTeam()) {
    clock.advance(60_000);
    const subject = await subjectOf();
    const { name } = operation;
    const outcomes: Record<string, string> = {};
    const tryAs = async (who: string, headers: Readonly<Record<string, string>>) => {
      outcomes[who] = await refusalOf(await call(operation, subject, headers));
    };
    await tryAs('nothing', {});
    await tryAs('a candidate', bearer(subject.candidate));
    await tryAs('the cookie of a candidate', {
      cookie: `colloquy_session=${subject.candidate.token}`,
    });
    await tryAs('an unknown key', bearer({ token: `colloquy_${'x'.repeat(43)}` }));
    await tryAs('a revoked key', bearer(revoked));
    await tryAs('an expired key', bearer(expired));
    const own = scopeOf(operation);
    for (const [scope, key] of alone) if (scope !== own) await tryAs(scope, bearer(key));
    for (const [scope, key] of alone) if (scope === own) await tryAs(scope, bearer(key));

    const others = [...alone.keys()].filter((scope) => scope !== own);
    expect([name, outcomes]).toEqual([
      name,
      {
        nothing: '401 admin_token_wrong',
        'a candidate': '401 admin_token_wrong',
        'the cookie of a candidate': '401 admin_token_wrong',
        'an unknown key': '401 admin_token_wrong',
        'a revoked key': '401 key_revoked',
        'an expired key': '401 key_expired',
        ...Object.fromEntries(others.map((scope) => [scope, '403 scope_missing'])),
        [own]: 'let in',
      },
    ]);
  }
});

test('a key of another vacancy gets nothing of an interview and changes nothing of it', async () => {
  const subject = await subjectOf();
  const { candidate, candidateId, importId, invitationId, key } = subject;
  const ids = [candidate.conversationId, candidateId, importId, invitationId, key.id];
  const rows = () => app.rowsWith(ids);
  // The sweep, which runs by the real time, would change the item later.
  await app.get(AttentionAlerts).sweep();
  const before = await rows();

  for (const operation of ofTeam()) {
    const response = await call(operation, subject, bearer(elsewhere));
    const { status } = response;
    const isStream = response.headers.get('content-type')?.includes('event-stream') === true;
    expect([operation.name, isStream]).toEqual([operation.name, false]);
    const text = await response.text();
    const told = ids.filter((id) => text.includes(id));
    expect([operation.name, status, told]).toEqual([operation.name, status, []]);
    // A list without it is the only success.
    const isRefused = status >= 400 || !operation.path.includes('{');
    expect([operation.name, isRefused]).toEqual([operation.name, true]);
  }

  expect(await rows()).toEqual(before);
});

test('a key of the vacancy and the admin token do what the scope allows, and each act is in the audit', async () => {
  const unlimited = await makeKey(app);
  for (const operation of ofTeam()) {
    clock.advance(60_000);
    const { name, method } = operation;
    const isOfKeys = operation.path.startsWith('/api/v1/keys');
    const key = isOfKeys || OF_ALL_VACANCIES.includes(name) ? unlimited : here;
    const isOfPerson = /^(interviews:read|scores:read|decisions:read|candidates:export)$/.test(
      scopeOf(operation),
    );
    const isRead = method === 'GET' && !isOfPerson && name !== AUDIT_FILE;
    const isAudited = !isRead && !NOT_AUDITED.includes(name);
    const before = await auditedBy(key);

    const outcome = await outcomeOf(await call(operation, await subjectOf(), bearer(key)));

    const refused = UNSUCCESSFUL[name];
    const isDone = /^20\d$/.test(outcome);
    expect([name, isDone ? undefined : outcome]).toEqual([name, refused]);
    const noted = isDone && isAudited ? 1 : 0;
    const rows = (await auditedBy(key)) - before;
    // It is about several people, and each has a row.
    const isOfMany = ['GET /api/v1/decisions', 'GET /api/v1/interviews/export'].includes(name);
    expect([name, isOfMany ? Math.min(1, rows) : rows]).toEqual([name, noted]);
    const admin = bearer({ token: ADMIN_TOKEN });
    const byAdmin = await outcomeOf(await call(operation, await subjectOf(), admin));
    expect([name, byAdmin]).toEqual([name, outcome]);
  }
});

test('an operation of candidates lets in no key, no admin token and no colleague', async () => {
  const subject = await subjectOf();
  const ofCandidates = operations.filter(
    ({ security }) => security?.[0]?.['session'] !== undefined,
  );

  const colleague = await signIn(app, await makeUser(app, { role: 'admin' }));

  expect(ofCandidates.length).toBeGreaterThan(12);
  for (const operation of ofCandidates) {
    const outcomes: string[] = [];
    for (const token of [here.token, ADMIN_TOKEN, 'wrong']) {
      outcomes.push(await refusalOf(await call(operation, subject, bearer({ token }))));
    }
    outcomes.push(await refusalOf(await call(operation, subject, {})));
    outcomes.push(await refusalOf(await call(operation, subject, colleague)));
    const expected = Array<string>(5).fill('401 session_unknown');
    expect([operation.name, outcomes]).toEqual([operation.name, expected]);
  }
});

describe('people', () => {
  type Headers = Readonly<Record<string, string>>;

  async function enter(role: Role, vacancyIds?: readonly string[]): Promise<Headers> {
    const rights = vacancyIds === undefined ? { role } : { role, vacancyIds };
    return signIn(app, await makeUser(app, rights));
  }

  test('with each role are let in by its scopes alone, and nobody without a live session is', async () => {
    expect(ofPeople().length).toBeGreaterThan(ofTeam().length + 13);
    for (const operation of ofPeople()) {
      clock.advance(60_000);
      const subject = await subjectOf();
      const { name } = operation;
      const scope = peopleRule(operation)?.[0] ?? null;
      const ended = await enter('admin');
      await fetch(`${app.url}/api/v1/team/session`, { method: 'DELETE', headers: ended });
      const outcomes: Record<string, string> = {};
      const tryAs = async (who: string, headers: Headers) => {
        outcomes[who] = await refusalOf(await call(operation, subject, headers));
      };
      // An admin is the last one, because it may change what the others are tried on.
      for (const role of ROLES.toReversed()) await tryAs(role, await enter(role));
      await tryAs('an ended session', ended);
      await tryAs('an unknown session', {
        cookie: `colloquy_team=${'x'.repeat(32)}`,
        'sec-fetch-site': 'same-origin',
      });
      await tryAs('the session of a candidate', {
        cookie: `colloquy_team=${subject.candidate.token}`,
        'sec-fetch-site': 'same-origin',
      });

      const isOfKeys = operation.security?.[0]?.['admin'] !== undefined;
      if (!isOfKeys) {
        await tryAs('nobody', {});
        await tryAs('a key with every scope', bearer(here));
        await tryAs('the admin token', bearer({ token: ADMIN_TOKEN }));
      }
      const ofPrograms = scope === null ? '403 user_needed' : '403 scope_missing';

      const mayWith = (role: Role) => scope === null || scopesOf(role).includes(scope as never);
      expect([name, outcomes]).toEqual([
        name,
        {
          ...Object.fromEntries(
            ROLES.map((role) => [role, mayWith(role) ? 'let in' : '403 scope_missing']),
          ),
          'an ended session': '401 sign_in_needed',
          'an unknown session': '401 sign_in_needed',
          'the session of a candidate': '401 sign_in_needed',
          ...(isOfKeys
            ? {}
            : {
                nobody: scope === null ? '401 sign_in_needed' : '401 admin_token_wrong',
                'a key with every scope': ofPrograms,
                'the admin token': ofPrograms,
              }),
        },
      ]);
    }
  });

  test('of another vacancy get nothing of an interview and change nothing of it', async () => {
    const subject = await subjectOf();
    const { candidate, candidateId, importId, invitationId } = subject;
    const ids = [candidate.conversationId, candidateId, importId, invitationId];
    const { id: elsewhereId } = await app.addVacancy({ slug: 'of-nobody-here' });
    await app.get(AttentionAlerts).sweep();
    const before = await app.rowsWith(ids);

    for (const role of ['interviewer', 'viewer'] as const) {
      const headers = await enter(role, [elsewhereId]);
      for (const operation of ofTeam()) {
        const response = await call(operation, subject, headers);
        const isStream = response.headers.get('content-type')?.includes('event-stream') === true;
        expect([operation.name, isStream]).toEqual([operation.name, false]);
        const text = await response.text();
        expect([operation.name, ids.filter((id) => text.includes(id))]).toEqual([
          operation.name,
          [],
        ]);
        const isRefused = response.status >= 400 || !operation.path.includes('{');
        expect([role, operation.name, isRefused]).toEqual([role, operation.name, true]);
      }
    }

    expect(await app.rowsWith(ids)).toEqual(before);
  });

  test('of the vacancy and admins do what keys do, and each act is in the audit by their names', async () => {
    for (const operation of ofTeam()) {
      clock.advance(60_000);
      const admin = await makeUser(app, { role: 'admin' });
      const subject = await subjectOf();
      const outcome = await outcomeOf(await call(operation, subject, await signIn(app, admin)));
      const isDone = /^20\d$/.test(outcome);

      const { name } = operation;
      expect([name, isDone ? undefined : outcome]).toEqual([name, UNSUCCESSFUL[name]]);
      const { count } = await app.one<{ count: number }>(
        'select count(*)::int as count from audit_event where actor = $1',
        [`user ${admin.name}`],
      );
      const isOfPerson =
        /^(interviews:read|scores:read|decisions:read|ratings:write|candidates:export)$/.test(
          scopeOf(operation),
        );
      const isAudited =
        isDone &&
        !NOT_AUDITED.includes(name) &&
        (operation.method !== 'GET' || isOfPerson || name === AUDIT_FILE);
      expect([name, Math.min(1, count)]).toEqual([name, isAudited ? 1 : 0]);
    }
  });

  test('do in their own session what everybody may', () => {
    const ofEverybody = ofPeople().filter((operation) => peopleRule(operation)?.length === 0);
    expect(ofEverybody.map(({ name }) => name).toSorted()).toEqual([
      'DELETE /api/v1/team/sessions',
      'DELETE /api/v1/team/sessions/{id}',
      'DELETE /api/v1/team/views/{id}',
      'GET /api/v1/team/events',
      'GET /api/v1/team/session',
      'GET /api/v1/team/session/confirmed',
      'GET /api/v1/team/sessions',
      'GET /api/v1/team/views',
      'POST /api/v1/team/session/confirm',
      'PUT /api/v1/team/password',
      'PUT /api/v1/team/reading',
      'PUT /api/v1/team/views/{id}',
    ]);
  });
});
