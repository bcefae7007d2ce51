import { StormModel } from '../../../tools/storm/storm-model';

let model: StormModel;

beforeEach(async () => {
  model = await StormModel.start();
});
afterEach(() => model.close());

async function ask(token: string): Promise<number> {
  const transcript = [{ role: 'candidate', n: 1, text: token }];
  const messages = [
    { content: `Before qxcccccc and ${token}` },
    { content: JSON.stringify({ transcript, answer: [1] }) },
  ];
  const response = await fetch(`http://127.0.0.1:${String(model.port)}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ messages }),
  });
  await response.text();
  return response.status;
}

test('one request succeeds after each that failed as planned', async () => {
  model.failNext('server_error');
  model.failNext('overloaded');

  expect([await ask('qxaaaaaa'), await ask('qxaaaaab'), await ask('qxaaaaac')]).toEqual([
    500, 200, 529,
  ]);
  expect(model.calls.map(({ outcome }) => outcome)).toEqual(['failed', 'completed', 'failed']);
});

test('a fourth fault is refused while three wait', () => {
  for (let n = 0; n < 3; n += 1) model.failNext('server_error');

  expect(() => {
    model.failNext('server_error');
  }).toThrow('the last faults were not met yet');
});

test('it notes every token of a request, also outside the answer', async () => {
  await ask('qxbbbbbb');

  expect([...model.seenTokens]).toEqual(['qxcccccc', 'qxbbbbbb']);
  expect(model.calls.map(({ tokens }) => tokens)).toEqual([['qxbbbbbb']]);
});
