import { execFile, execFileSync } from 'node:child_process';
import path from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { CutReplay } from './cut-replay';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { replyWith } from '../../../tools/fake-model/model-server';

const PROGRAM = path.join(__dirname, 'cut-client.mjs');
const FLAGS = ['--no-warnings', '--experimental-eventsource'];
const NAMES = JSON.parse(
  execFileSync(process.execPath, [...FLAGS, PROGRAM], { encoding: 'utf8' }),
) as string[];
/** Opens a new EventSource, with its id in the query, when the one that it has gives up. */
const WRAPPER = 'reconnecting-eventsource 1.6.5';
/** Come back with their id in the query only. */
const BY_QUERY = [WRAPPER, 'event-source-polyfill 1.0.31'];
/**
 * Count an id when its line is complete, which is one byte before the end of the frame. A cut at that very
 * byte loses them the text; docs/web-client.md says how a page notices it.
 */
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

describe('unmodified clients, cut after every byte of a frame with text', () => {
  let app: TestApp;
  let replay: CutReplay;
  let frame: string;
  let stored: string;

  beforeAll(async () => {
    app = await startTestApp({ model: true });
    const candidate = await TestCandidate.begin(app);
    app.model.next(replyWith('answered', TEXT));
    await candidate.answer('m1', 'Rye.');
    stored = (await candidate.view()).messages.at(-1)?.text ?? '';
    replay = await CutReplay.start(candidate, (client) => client === WRAPPER);
    frame = await replay.frame();
  });

  afterAll(async () => {
    await replay.close();
    await app.close();
  });

  async function readsOf(client: string): Promise<Read[]> {
    const cuts = String(Buffer.byteLength(frame));
    const args = [...FLAGS, PROGRAM, client, replay.urlOf(client), cuts];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return JSON.parse(stdout) as Read[];
  }

  test.each(NAMES)(
    '%s shows the whole reply once, and no event that was not sent',
    async (name) => {
      const all = await readsOf(name);

      const right: Read = { text: stored, finishes: 1, unsent: 0 };
      const wrong = all.flatMap((read, cut) =>
        isDeepStrictEqual(read, right) ? [] : [{ cut, ...read }],
      );
      expect(all).toHaveLength(Buffer.byteLength(frame));
      expect(wrong).toEqual(
        HASTY.includes(name) ? [{ cut: all.length - 1, ...right, text: '' }] : [],
      );
      expect(replay.cameBackWith(name)).toEqual(
        BY_QUERY.includes(name) ? ['lastEventId'] : ['last-event-id'],
      );
    },
  );

  test('has a frame whose id is its last line', () => {
    expect(stored).toContain(TEXT);
    expect(frame).toMatch(/^event: delta\ndata: \{.*\}\nid: [\d.]+\n\n$/);
  });
});
