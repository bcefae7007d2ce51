import type { TestApp } from '../support/app';
import { OUTPUT_SHAPES } from './output-shapes';
import {
  CHANNELS,
  expectOnlyItsReply,
  expectStoredAsOutputOnly,
  startChannels,
} from './shapes-on-channels';

/** One of each kind of mark: tags, brackets, channels, tokens, words, wrappers, calls, prose. */
const SAMPLE = [
  'DeepSeek-R1-Distill, opening tag in the template',
  'Magistral, Ministral 3 Reasoning 2512',
  'gpt-oss, harmony with its marks',
  'Gemma 4',
  'Granite 3.2',
  'Models without a grammar',
  'Models without a grammar, a list of one',
  'Hermes 2 Pro, Qwen2.5, Granite 4, ERNIE 4.5',
  'Qwen3-Coder',
  'llama-server b9272, the format ignored',
  'Qwen3, prose behind reasoning with a draft',
];
const SHAPES = OUTPUT_SHAPES.filter(({ family }) => SAMPLE.includes(family));

let app: TestApp;

beforeAll(async () => {
  app = await startChannels();
});

afterAll(() => app.close());

describe.each(CHANNELS)('on the %s', (channel) => {
  test.each(SHAPES)('only the reply is seen, $is: $family', (shape) =>
    expectOnlyItsReply(app, channel, shape, 7),
  );
});

test('what else a model wrote is stored as its output only', () => expectStoredAsOutputOnly(app));
