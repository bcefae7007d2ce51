import { Deliveries } from '../../src/delivery';
import { TurnFixture, words } from './turn-fixture';

let fixture: TurnFixture;

beforeAll(async () => {
  fixture = await TurnFixture.open();
});

afterAll(() => fixture.close());

test('a reply that its channel has still to send clears nothing and is not delivered', async () => {
  const candidate = await fixture.candidate();
  const text = words();
  jest.spyOn(fixture.main.get(Deliveries), 'add').mockResolvedValueOnce({ isDelivered: false });

  await candidate.answer(text);

  expect(await candidate.turns()).toMatchObject([{ state: 'answered', completed_at: null }]);
  expect(await candidate.waiting()).toEqual([text]);
  expect(await candidate.tasks()).toMatchObject([{ state: 'done' }]);
});

test('a reply on the web is delivered by the commit that stores it', async () => {
  const candidate = await fixture.candidate();

  await candidate.answer(words());

  const [reply] = await candidate.replies();
  const rows = await fixture.sql(
    'select turn_id, kind, channel, state, text from delivery where conversation_id = $1',
    [candidate.id],
  );
  const [turn] = await candidate.turns();
  expect(rows).toEqual([
    { turn_id: turn?.id, kind: 'reply', channel: 'web', state: 'sent', text: reply },
  ]);
});
