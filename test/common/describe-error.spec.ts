import { describeError, stackFrames } from '../../src/common/errors';
import { DatabaseBusyError } from '../../src/common/uow';

describe('an error as text', () => {
  test.each([
    ['a parser', new SyntaxError('Unexpected token c, "canary" is not valid JSON')],
    ['a driver', new Error('invalid input syntax for type uuid: "canary"')],
    ['a quote in a quote', new Error(`value 'it"s canary' and more canary`)],
    ['several lines', new Error('no\n    at canary (x:1:2)')],
    ['no quotation mark closed', new Error('near `canary')],
    ['no error', 'canary'],
  ])('leaves out what %s quotes', (_, error) => {
    expect(describeError(error)).not.toContain('canary');
  });

  test('keeps our own messages whole, with their code', () => {
    const error = new DatabaseBusyError('commit "a" was in the way');

    expect(describeError(error)).toBe('database_busy: commit "a" was in the way');
  });

  test('keeps only the frames of a stack', () => {
    const frames = stackFrames(new Error('canary\n  at the canary').stack);

    expect(frames).toMatch(/^\s+at .*describe-error\.spec\.ts/);
    expect(frames).not.toContain('canary');
  });
});
