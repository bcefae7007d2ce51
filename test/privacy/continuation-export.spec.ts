import { ContinuationRepository } from '../../src/candidates';
import { hashToken, newToken } from '../../src/common/ids';
import { notesIn } from '../../src/privacy/export-format';
import { live } from '../interview/interviews';
import { StoredPeople } from './stored-people';

let setup: StoredPeople;

beforeAll(async () => {
  setup = await StoredPeople.open();
});
afterAll(() => setup.close());

test('the export says which links continue an interview elsewhere, without what opens them', async () => {
  const person = await setup.person();
  const conversationId = person.conversations[0]?.id ?? '';
  const [opened, unused] = [newToken(), newToken()];
  const links = setup.app.get(ContinuationRepository);
  for (const [token, channel] of [
    [opened, 'web'],
    [unused, 'telegram'],
  ] as const) {
    await setup.app.commit((tx) => links.create(tx, { conversationId, channel, token }));
    await live(setup.app, 1000);
  }
  await setup.app.commit((tx) => links.redeem(tx, opened, 'web'));

  const exported = await setup.export(person);

  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string;
  expect(exported.conversations[0]?.continuations).toEqual([
    { createdAt: time, channel: 'web', usedAt: time, expiresAt: time },
    { createdAt: time, channel: 'telegram', usedAt: null, expiresAt: time },
  ]);
  const text = JSON.stringify(exported);
  for (const token of [opened, unused]) {
    expect(text).not.toContain(token);
    expect(text).not.toContain(hashToken(token));
  }
  for (const language of ['ru', 'en'] as const) {
    expect(notesIn(language)['continuations']).toBeDefined();
  }
});
