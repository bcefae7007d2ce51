/** The keys of the console, in whatever layout. */
import { Keyboard, keyOf } from '../../../web/console/shell/keyboard';
import { nextStop } from '../../../web/console/shell/rows-in-window';

describe('the keyboard', () => {
  let pressed: string[];
  let keyboard: Keyboard;
  const press = (key: string, timeStamp = 0, code = '') =>
    keyboard.press({ key, code, shiftKey: false, timeStamp });
  const layerOf = (...keys: string[]) => ({
    current: Object.fromEntries(keys.map((key) => [key, () => void pressed.push(key)])),
  });

  beforeEach(() => {
    pressed = [];
    keyboard = new Keyboard();
    keyboard.bind(layerOf('g i', '?', 'i'));
  });

  test('goes to a place with g and a letter', () => {
    expect([press('g', 0), press('i', 1000)]).toEqual([true, true]);
    expect(pressed).toEqual(['g i']);
  });

  test('forgets the g after a while, and after another key', () => {
    press('g', 0);
    press('i', 2000);
    press('g', 3000);
    press('x', 3100);
    press('i', 3200);

    expect(pressed).toEqual(['i', 'i']);
  });

  test('leaves a key that means nothing to the browser', () => {
    expect(press('Tab')).toBe(false);
  });

  test('leaves a key to the browser when its part has nothing for it', () => {
    keyboard.bind({ current: { ArrowDown: () => false } });

    expect(press('ArrowDown')).toBe(false);
  });

  test('gives a key to the part that came last, and back when it goes', () => {
    const unbind = keyboard.bind({ current: { '?': () => void pressed.push('other') } });
    press('?');
    unbind();
    press('?');

    expect(pressed).toEqual(['other', '?']);
  });

  test('reads letters and signs of a Russian layout by their place', () => {
    const of = (key: string, code: string, shiftKey = false) => keyOf({ key, code, shiftKey });

    expect(of('п', 'KeyG')).toBe('g');
    expect(of('о', 'KeyJ')).toBe('j');
    expect(of('.', 'Slash')).toBe('/');
    expect(of(',', 'Slash', true)).toBe('?');
    expect(of('?', 'Digit7', true)).toBe('?');
    expect(of('J', 'KeyC')).toBe('j');
    // Where another Latin layout has a letter.
    expect(of('z', 'Slash')).toBe('z');
    expect(of('ArrowDown', 'ArrowDown')).toBe('ArrowDown');
  });
});

describe('from row to row', () => {
  /** A heading, two rows, a heading, a row. */
  const rows = { count: 5, isStop: (index: number) => index !== 0 && index !== 3 };

  test.each([
    [null, 1, 1],
    [null, -1, 1],
    [1, 1, 2],
    [2, 1, 4],
    [4, -1, 2],
    [4, 1, null],
    [1, -1, null],
  ] as const)('from %s by %s: %s', (from, step, next) => {
    expect(nextStop(from, step, rows)).toBe(next);
  });
});
