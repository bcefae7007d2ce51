/** The unsent text of a conversation that is open in two tabs of one browser. */
import { Draft } from '../../web/src/state/draft';
import { aStorage } from './fake-browser';

function twoTabs() {
  const storage = aStorage();
  const tab = () => new Draft('one', { nowMs: () => 0, storage, onTyping: () => undefined });
  return { first: tab(), second: tab(), afterReload: () => tab().text() };
}

test('a tab keeps its text when another tab has emptied its own field', () => {
  const { first, second, afterReload } = twoTabs();
  first.keep('half a thought');
  second.keep('x');
  second.keep('');

  first.keepOwn();

  expect(afterReload()).toBe('half a thought');
});

test('a tab that is closed leaves the newer text of another tab alone', () => {
  const { first, second, afterReload } = twoTabs();
  first.keep('half a thought');
  second.keep('a newer one');

  first.keepOwn();

  expect(afterReload()).toBe('a newer one');
});

test('a text that another tab has sent does not come back from a tab that only showed it', () => {
  const { first, second, afterReload } = twoTabs();
  first.keep('half a thought');
  expect(second.text()).toBe('half a thought');
  first.keep('');

  second.keepOwn();

  expect(afterReload()).toBe('');
});

test('nothing comes back after the candidate has left', () => {
  const { first, afterReload } = twoTabs();
  first.keep('half a thought');
  first.forget();

  first.keepOwn();

  expect(afterReload()).toBe('');
});
