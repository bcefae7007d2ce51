/**
 * A team and its interviews, made by the API as their people would, once for each language. Then their moments are
 * moved into the past: what a picture calls "3 hours ago" was so by the clock of its page.
 */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import pg from 'pg';
import { request } from 'playwright-core';
import { until } from '../harness.mjs';
import { CONSOLE_SCRIPT } from './console-script.mjs';
import { Interview } from './interview.mjs';

const require = createRequire(import.meta.url);
require('../../../tools/support/swc-register.cjs');
const { findRunningEmbeddedPostgres } = require('../../../src/persistence/embedded/index.ts');

const PASSWORD = 'seven slow green trams';
const PHONE_BROWSER =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) ' +
  'Version/18.0 Mobile/15E148 Safari/604.1';

/** How long before the pictures each was last seen, and what has become of it. In the order of their beginning. */
const INTERVIEWS = [
  { who: 'decided', hoursAgo: 75, walk: finish },
  { who: 'withdrawn', hoursAgo: 52, walk: withdraw },
  { who: 'compared', hoursAgo: 49, walk: finish },
  { who: 'finished', hoursAgo: 27, walk: finish },
  { who: 'read', hoursAgo: 5, walk: finish },
  { who: 'begun', hoursAgo: 3.5, walk: (one) => one.answer(5) },
  { who: 'person', hoursAgo: 1.7, walk: askForPerson },
  { who: 'asks', hoursAgo: 0.6, walk: ask },
  { who: 'started', hoursAgo: 0.3, walk: (one) => one.answer(1) },
  { who: 'opened', hoursAgo: 0.1 },
];

async function finish(one) {
  await one.finish();
}

async function withdraw(one) {
  await one.answer(2);
  await one.withdraw();
}

async function askForPerson(one) {
  await one.answer(2);
  await one.askForPerson();
}

async function ask(one, { question }) {
  await one.answer(3);
  await one.write(question);
  await one.done();
}

/** What the states of the console need: the session of the admin, and ids by what has become of them. */
export async function makeTeam(server, language) {
  const words = CONSOLE_SCRIPT[language];
  const people = new People(server.base);
  const admin = await people.joinFirst(server.data, words.admin);
  const colleagues = [];
  for (const one of words.colleagues) colleagues.push(await people.invite(admin, one, words));
  await admin.call('POST', '/users/invitations', words.invitedColleague);
  const { vacancy } = words;
  await changeFile(admin, vacancy, words.versions[0]);
  await changeFile(colleagues[0], vacancy, words.versions[1]);
  const ids = await interview(people, admin, words, language);
  for (const name of words.invited) await invite(admin, vacancy, name);
  await judge({ admin, colleagues, words, ids });
  await people.signInElsewhere(words.admin.email);
  await admin.call('PUT', `/team/views/${VIEW}`, viewOf(language));
  const items = await itemsOf(admin);
  const audit = await admin.call('GET', '/audit?limit=200');
  const storageState = await admin.context.storageState();
  await people.close();
  return { words, ids, items, audit, storageState };
}

const VIEW = '0190a0b0-0000-7000-8000-000000000001';

function viewOf(language) {
  const name = { en: 'To read', ru: 'Прочитать' }[language];
  return { name, query: 'state=finished' };
}

/** Sessions of colleagues and of candidates, each in a browser of its own. */
class People {
  #base;
  #contexts = [];

  constructor(base) {
    this.#base = base;
  }

  async joinFirst(data, person) {
    const link = fs.readFileSync(path.join(data, 'first-admin-link'), 'utf8').trim();
    return this.#join(link, person);
  }

  async invite(admin, { role, isLimited, ...person }, { vacancy }) {
    const limited = isLimited ? { vacancies: [vacancy] } : {};
    const { link } = await admin.call('POST', '/users/invitations', { role, ...limited });
    return this.#join(link, person);
  }

  /** The admin has left a session open on a telephone. */
  async signInElsewhere(email) {
    const one = await this.newPerson(PHONE_BROWSER);
    await one.call('POST', '/team/session', { email, password: PASSWORD });
  }

  async newPerson(userAgent) {
    const context = await request.newContext({
      extraHTTPHeaders: { origin: this.#base },
      ...(userAgent === undefined ? {} : { userAgent }),
    });
    this.#contexts.push(context);
    return { context, call: caller(context, this.#base) };
  }

  interviewOf({ context }, language) {
    return new Interview(context, this.#base, language);
  }

  async close() {
    await Promise.all(this.#contexts.map((context) => context.dispose()));
  }

  async #join(link, { name, email }) {
    const one = await this.newPerson(DESK_BROWSER);
    const token = link.split('/').at(-1);
    await one.call('POST', `/team/links/${token}`, { name, email, password: PASSWORD });
    return one;
  }
}

const DESK_BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

function caller(context, base) {
  return async (method, place, data, headers = {}) => {
    const response = await context.fetch(`${base}/api/v1${place}`, {
      method,
      headers,
      ...(data === undefined ? {} : { data }),
    });
    if (!response.ok()) {
      throw new Error(`${method} ${place}: ${response.status()} ${await response.text()}`);
    }
    const text = await response.text();
    if (text === '') return null;
    const { etag, 'content-type': type = '' } = response.headers();
    return type.includes('json') ? JSON.parse(text) : { text, etag };
  };
}

/** A version more of the vacancy's file. */
async function changeFile(by, vacancy, [before, after]) {
  const place = `/vacancies/${vacancy}/file`;
  const { text, etag } = await by.call('GET', place, undefined, { accept: 'application/yaml' });
  if (!text.includes(before)) throw new Error(`${vacancy}: no "${before}" in its file`);
  const headers = { 'if-match': etag, 'content-type': 'application/yaml' };
  await by.call('PUT', place, text.replace(before, after), headers);
}

function invite(admin, vacancy, name) {
  return admin.call('POST', `/vacancies/${vacancy}/invitations`, { name });
}

/** They begin one after the other, so that lists have them in this order, and go on side by side. */
async function interview(people, admin, words, language) {
  const ids = {};
  const waiting = [];
  for (const { who, walk } of INTERVIEWS) {
    const name = words.names[who];
    const { link } = await invite(admin, words.vacancy, name);
    const candidate = await people.newPerson();
    const one = people.interviewOf(candidate, language);
    const token = link.web.split('/').at(-1);
    if (walk === undefined) {
      await candidate.call('POST', '/sessions', { invite: token });
    } else {
      await one.begin(token, { name, contact: 'candidate@example.org' });
      waiting.push(() => walk(one, words));
    }
    ids[who] = (await one.view()).id;
  }
  const goOn = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await next();
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, goOn));
  return ids;
}

const AT_A_TIME = 4;

/** The admin has rated some of one interview and all of another one, which a colleague has rated, too. */
async function judge({ admin, colleagues: [colleague, second], words, ids }) {
  await rate(admin, ids.read, { marks: [4, 5, 3], notes: words.notes, questions: 2 });
  await comment(admin, ids.read, words.comments.own);
  await rate(colleague, ids.compared, { marks: [3, 5, 4, 2], notes: words.notes });
  await rate(second, ids.compared, { marks: [4, 4, 4], notes: [] });
  await comment(colleague, ids.compared, words.comments.colleague);
  await rate(admin, ids.compared, { marks: [4, 5, 3], notes: [] });
  // From here on the page shows what others gave.
  await admin.call('GET', `/interviews/${ids.compared}/ratings`);
  await rate(admin, ids.decided, { marks: [5, 4], notes: words.notes });
  const decision = { isAdverse: false, reason: words.reasons.decided };
  await admin.call('POST', `/interviews/${ids.decided}/decisions`, decision, {
    'if-match': '"none"',
    'idempotency-key': 'of-the-pictures-0001',
  });
}

async function rate(by, id, { marks, notes, questions = Infinity }) {
  const place = `/interviews/${id}/ratings`;
  const { questions: all } = await by.call('GET', `${place}?only=own`);
  const rated = all.filter(({ criteria, evidence }) => criteria.length > 0 && evidence.length > 0);
  let at = 0;
  for (const { id: question, criteria } of rated.slice(0, questions)) {
    const given = criteria.map(({ name }) => {
      const mark = marks[at % marks.length];
      const note = notes[at] ?? null;
      at += 1;
      return { name, mark, note };
    });
    await by.call('PUT', `${place}/${question}`, { criteria: given });
  }
}

function comment(by, id, text) {
  const headers = { 'idempotency-key': `of-the-pictures-${id}` };
  return by.call('POST', `/interviews/${id}/comments`, { text, questionId: null }, headers);
}

/** Ids in the inbox: who asks for a person, and whose question nobody has answered. */
async function itemsOf(admin) {
  return until('two items in the inbox', async () => {
    const { items } = await admin.call('GET', '/admin/attention');
    const of = (wanted) => items.find(({ kind }) => kind === wanted)?.id;
    const found = { person: of('handed_over'), question: of('question') };
    return found.person !== undefined && found.question !== undefined && found;
  });
}

/** Moves what has happened to `hoursAgo` before `now`, in milliseconds. */
export async function moveIntoThePast(server, { ids }, now) {
  const client = new pg.Client(await findRunningEmbeddedPostgres(server.data));
  await client.connect();
  try {
    for (const { who, hoursAgo } of INTERVIEWS) {
      const at = new Date(now - hoursAgo * HOUR_MS);
      for (const statement of OF_INTERVIEW) await client.query(statement, [ids[who], at]);
    }
    await client.query(OTHER_SESSIONS, [new Date(now - 4 * HOUR_MS)]);
  } finally {
    await client.end();
  }
}

const HOUR_MS = 60 * 60_000;
const OF_INTERVIEW = [
  'update conversation set created_at = $2, updated_at = $2 where id = $1',
  'update message set received_at = $2 where conversation_id = $1',
  'update web_session set seen_at = $2 where conversation_id = $1',
  'update attention set created_at = $2 where conversation_id = $1',
];
const OTHER_SESSIONS = `update user_session set seen_at = $1, created_at = $1 where device like '%iOS%'`;
