import { runCli } from '../support/run-cli';

test.each([
  [['--store', '--model', 'good'], 'leave out --model'],
  [['--model', 'kind'], '--model kind: expected one of'],
  [['--model', 'real'], 'A real model needs OPENAI_API_KEY.'],
])(
  '`colloquy scenarios %j` is refused in one sentence, and nothing is played',
  async (args, why) => {
    const run = await runCli(['scenarios', ...args], {});

    expect(run).toMatchObject({ code: 2, out: '' });
    expect(run.err).toContain(why);
  },
);
