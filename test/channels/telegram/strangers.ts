import { TestCandidate } from '../../support/candidate';
import type { TestApp } from '../../support/app';
import { EN, type Person, begunPerson, newPerson } from './telegram-person';

/** What a stranger with a link does, what their victim does, and what either can see. */
export function strangers(app: () => TestApp) {
  let count = 0;
  function victim(): Person {
    count += 1;
    return newPerson(app(), {
      first_name: `Victoria-${String(count)}`,
      username: `victoria_${String(count)}`,
    });
  }

  function traces({ id, user: { user } }: Person): string[] {
    return [String(id), user.first_name, user.username ?? ''];
  }

  /** A stranger who came by the open link and consented, but has given no name. */
  async function nameless(): Promise<TestCandidate> {
    const stranger = await TestCandidate.arrive(app());
    const { disclosure } = await stranger.view();
    await stranger.post('consent', { version: disclosure.version, accepted: true });
    return stranger;
  }

  async function linkToTelegram(candidate: TestCandidate): Promise<string> {
    const response = await candidate.post('continuation');
    expect(response.status).toBe(201);
    return /start=([\w-]+)/.exec(JSON.stringify(await response.json()))?.[1] ?? '';
  }

  /** All that the API tells a web session about its person. */
  async function seenBy(candidate: TestCandidate): Promise<string> {
    const paths = ['/api/v1/conversation', '/api/v1/conversation/mydata'];
    const seen = await Promise.all(paths.map(async (path) => (await candidate.get(path)).text()));
    return seen.join('\n');
  }

  async function expectUntold(candidate: TestCandidate, ...texts: string[]): Promise<void> {
    const seen = await seenBy(candidate);
    for (const text of texts) expect(seen).not.toContain(text);
  }

  function expectUnseen(person: Person, candidate: TestCandidate): Promise<void> {
    return expectUntold(candidate, ...traces(person));
  }

  async function someoneWaits(): Promise<void> {
    for (let look = 0; look < 2000; look += 1) {
      app().clock.advance(5);
      await new Promise((resolve) => setTimeout(resolve, 2));
      const waiting = await app().sql(
        `select 1 from pg_stat_activity
         where wait_event_type = 'Lock' and datname = current_database()`,
      );
      if (waiting.length > 0) return;
    }
    throw new Error('no commit waited for a lock');
  }

  async function ownerOf(conversationId: string): Promise<string> {
    const [row] = await app().sql<{ id: string }>(
      'select candidate_id as id from conversation where id = $1',
      [conversationId],
    );
    return row?.id ?? '';
  }

  async function consentOf({
    conversationId,
  }: {
    conversationId: string;
  }): Promise<{ at: Date; version: string }> {
    const [row] = await app().sql<{ at: Date; version: string }>(
      'select consent_at as at, consent_version as version from conversation where id = $1',
      [conversationId],
    );
    if (row === undefined) throw new Error('there is no such conversation');
    return row;
  }

  /** Two accounts in one interview: one has begun it, the other has opened the link that it got. */
  async function shared(): Promise<{ mallory: Person; ada: Person }> {
    const mallory = await begunPerson(app());
    await mallory.writes('/web');
    const web = /[\w-]{32}(?=\s|$)/.exec(mallory.lastHeard)?.[0] ?? '';
    const ada = victim();
    await ada.starts(await linkToTelegram(await TestCandidate.claim(app(), web)));
    await ada.presses(EN.mineButton);
    return { mallory, ada };
  }

  return {
    shared,
    victim,
    traces,
    nameless,
    linkToTelegram,
    expectUntold,
    expectUnseen,
    someoneWaits,
    ownerOf,
    consentOf,
  };
}
