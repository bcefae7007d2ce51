/** Texts that are not saved yet, in the browser's storage. */
import { Drafts } from '../../../../web/console/vacancies/draft';

function storageOf(): Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> {
  const kept = new Map<string, string>();
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
}

test('a draft is there after a reload, until it is dropped', () => {
  const storage = storageOf();
  new Drafts('ada', storage).write('cook', { text: 'slug: cook', base: 'v1' });

  const drafts = new Drafts('ada', storage);

  expect(drafts.read('cook')).toEqual({ text: 'slug: cook', base: 'v1' });
  expect(drafts.read('baker')).toBeNull();
  drafts.drop('cook');
  expect(drafts.read('cook')).toBeNull();
});

test('somebody else who signs in in the same browser does not see it', () => {
  const storage = storageOf();
  new Drafts('ada', storage).write('cook', { text: 'slug: cook', base: null });
  new Drafts('ada', storage).putAside('cook', 'another text');

  const others = new Drafts('bo', storage);

  expect([others.read('cook'), others.aside('cook')]).toEqual([null, null]);
});

test('a text that is put aside is kept beside the draft', () => {
  const drafts = new Drafts('ada', storageOf());
  drafts.write('cook', { text: 'mine', base: 'v1' });

  expect(drafts.putAside('cook', 'mine')).toBe(true);
  drafts.drop('cook');

  expect([drafts.aside('cook'), drafts.read('cook')]).toEqual(['mine', null]);
});

test.each(['', '{', '"text"', '{"text":1,"base":null}', '{"text":"a"}', 'null'])(
  'what is no draft is none (%j)',
  (value) => {
    const storage = storageOf();
    storage.setItem('colloquy.vacancy-draft.ada.draft.cook', value);

    expect(new Drafts('ada', storage).read('cook')).toBeNull();
  },
);

test('a browser that keeps nothing, or is full, says so and breaks nothing', () => {
  const full = {
    ...storageOf(),
    setItem: () => {
      throw new DOMException('full', 'QuotaExceededError');
    },
  };

  for (const storage of [full, null]) {
    const drafts = new Drafts('ada', storage);
    expect(drafts.write('cook', { text: 'mine', base: null })).toBe(false);
    expect(drafts.putAside('cook', 'mine')).toBe(false);
    expect(drafts.read('cook')).toBeNull();
  }
});
