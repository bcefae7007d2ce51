import type { TestApp } from '../support/app';
import { OUTPUT_SHAPES } from './output-shapes';
import {
  CHANNELS,
  expectOnlyItsReply,
  expectStoredAsOutputOnly,
  startChannels,
} from './shapes-on-channels';

let app: TestApp;

beforeAll(async () => {
  app = await startChannels();
});

afterAll(() => app.close());

/** Longer than any shape. */
const WHOLE = 100_000;

describe.each(CHANNELS)('on the %s', (channel) => {
  describe.each([1, 7, WHOLE])('in pieces of %i characters', (chunkSize) => {
    test.each(OUTPUT_SHAPES)('only the reply is seen, $is: $family', (shape) =>
      expectOnlyItsReply(app, channel, shape, chunkSize),
    );
  });
});

test('what else a model wrote is stored as its output only', () => expectStoredAsOutputOnly(app));
