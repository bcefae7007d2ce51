import { execFile, execFileSync } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { CutReplay } from './cut-replay';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { replyWith } from '../../../tools/fake-model/model-server';

const PROGRAM = path.join(__dirname, 'cut-client.mjs');
const FLAGS = ['--no-warnings', '--experimental-eventsource'];
const NAMES = JSON.parse(
  execFileSync(process.execPath, [...FLAGS, PROGRAM], { encoding: 'utf8' }),
) as string[];
/** It opens a new EventSource, with its id in the query, when the one it has gives up. */
const WRAPPER = 'reconnecting-eventsource 1.6.5';
/** Count an id when its line is complete, which is one byte before the end of its frame. */
const HASTY = [
  'eventsource 2.0.2',
  'extended-eventsource 2.1.0',
  '@microsoft/fetch-event-source 2.0.1',
];
const TEXT = 'Да, 👩‍🚀 rye.';

interface Read {
  readonly text: string;
  readonly finishes: number;
  readonly unsent: number;
}

describe('unmodified clients, cut after every byte of a reply', () => {
  let app: TestApp;
  let replay: CutReplay;
  let reply: string;
  let stored: string;

  beforeAll(async () => {
    process.stderr.write(`a ${Date.now()}\n`);
    app = await startTestApp({ model: true });
    const candidate = await TestCandidate.begin(app);
    app.model.next(replyWith('answered', TEXT));
    await candidate.answer('m1', 'Rye.');
    process.stderr.write(`b ${Date.now()}\n`);
    stored = (await candidate.view()).messages.at(-1)?.text ?? '';
    replay = await CutReplay.start(candidate, (client) => client === WRAPPER);
    process.stderr.write(`c ${Date.now()}\n`);
    reply = await replay.reply();
  });

  afterAll(async () => {
    await replay.close();
    await app.close();
  });

  async function readsOf(client: string): Promise<Read[]> {
    const cuts = Buffer.byteLength(reply.slice(0, reply.indexOf('event: finish')));
    const args = [...FLAGS, PROGRAM, client, replay.urlOf(client), String(cuts)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 26 });
    return JSON.parse(stdout) as Read[];
  }

  test.each(NAMES)(
    '%s shows the whole reply once, and no event that was not sent',
    async (name) => {
      const reads = await readsOf(name);
      const wrong = reads.flatMap((read, cut) => {
        const isRight = read.text === stored && read.finishes === 1 && read.unsent === 0;
        return isRight ? [] : [{ cut, ...read }];
      });
      console.log(
        name,
        reads.length,
        wrong.length,
        JSON.stringify(wrong.slice(0, 4)),
        reply.length,
      );
      expect(wrong).toEqual([]);
    },
  );
});
