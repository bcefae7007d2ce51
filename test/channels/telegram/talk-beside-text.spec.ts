import type { MessageEntity } from '@grammyjs/types';
import { TranscriptLineRepository } from '../../../src/interview';
import { ScoringRepository } from '../../../src/scoring';
import type { ModelServer } from '../../../tools/fake-model/model-server';
import { type ReplyData, replyDataOf } from '../../../tools/fake-model/reply-data';
import type { TestApp } from '../../support/app';
import { mp3, oggOpus } from '../../support/recordings';
import { PDF } from '../../support/sent-files';
import {
  EN,
  type Person,
  RU,
  WINDOW_MS,
  begunPerson,
  newPerson,
  takeUpdate,
  withBotAndModel,
} from './telegram-person';

const OTHER = 'I have baked rye for twenty years.';
const OWN = 'My teacher wrote this about me.';
const BOT_USER = { id: 99, is_bot: true, first_name: 'Gif', username: 'gif' };

/** What a message of Telegram carries beside its text. */
describe('beside its text', () => {
  let app: TestApp;
  let model: ModelServer;

  withBotAndModel((started) => {
    app = started;
    model = started.model;
  });

  // So that the last request is the next test's own.
  afterEach(() => app.pass(WINDOW_MS));

  /** Sends a message that the fake's people have no method for. */
  function sends(person: Person, content: object): Promise<void> {
    return person.does((user) => {
      (user as unknown as { sends(c: object): void }).sends({ from: user.user, ...content });
    });
  }

  /** The last request to the model. */
  function asked(): { readonly system: string; readonly data: ReplyData } {
    const [system, user] = model.requests.at(-1)?.body.messages ?? [];
    return {
      system: String(system?.content),
      data: replyDataOf(user?.content),
    };
  }

  async function linesOf(person: Person) {
    const id = (await person.conversationId()) ?? '';
    const page = await app.commit((tx) => app.get(TranscriptLineRepository).page(tx, id, null));
    return page.lines.filter(({ role }) => role === 'user');
  }

  /** What a model may rate, and quote. */
  async function scored(person: Person): Promise<string[]> {
    const id = (await person.conversationId()) ?? '';
    const answers = await app.commit((tx) => app.get(ScoringRepository).answers(tx, id));
    return [...answers.values()].flat().map(({ text }) => text);
  }

  const FORWARD = { forward_origin: { type: 'hidden_user', date: 1, sender_user_name: 'Teacher' } };

  describe('the words of others', () => {
    test('a forwarded text is no word of the candidate: for the model, the rating and the transcript', async () => {
      const ada = await begunPerson(app);
      await ada.writes(OWN);
      await ada.does((user) => user.forwards(OTHER, 'Teacher'));
      await app.pass(WINDOW_MS);

      const { system, data } = asked();
      const [own, other] = await linesOf(ada);
      expect(data.answer).toBe(OWN);
      expect(data.said).toEqual([
        { role: 'candidate', n: own?.seq, text: OWN },
        { role: 'candidate', n: other?.seq, from: 'Teacher', text: OTHER },
      ]);
      expect(system).toContain('the candidate passed it on');
      expect(await linesOf(ada)).toMatchObject([
        { text: OWN, author: null, attachment: null },
        { text: OTHER, author: { how: 'forwarded', name: 'Teacher' }, attachment: null },
      ]);
      expect(await scored(ada)).toEqual([OWN]);
    });

    test('it stays so in the transcript that later turns read', async () => {
      const ada = await begunPerson(app);
      await ada.does((user) => user.forwards(OTHER, 'Teacher'));
      await app.pass(WINDOW_MS);
      expect(asked().data).toMatchObject({ answer: '', said: [{ from: 'Teacher' }] });

      await ada.writes(OWN);
      await app.pass(WINDOW_MS);

      const { system, data } = asked();
      expect(data.transcript.find(({ text }) => text === OTHER)).toMatchObject({ from: 'Teacher' });
      expect(system).toContain('the candidate passed it on');
    });

    test('a forwarded /skip skips nothing', async () => {
      const ada = await begunPerson(app);
      const requests = model.requests.length;

      await ada.does((user) => user.forwards('/skip', 'Teacher'));
      await ada.does((user) => user.forwards('Skip this question please.', 'Teacher'));
      await app.pass(WINDOW_MS);

      expect(model.requests.length).toBeGreaterThan(requests);
    });

    test.each([
      ['a voice message', { voice: { file_id: 'v', file_unique_id: 'v', duration: 3 } }],
      ['a document', { document: { file_id: 'd', file_unique_id: 'd', file_name: 'cv.pdf' } }],
      [
        'a video',
        { video: { file_id: 'w', file_unique_id: 'w', width: 1, height: 1, duration: 1 } },
      ],
    ])('the caption of %s that is forwarded is not theirs either', async (_, media) => {
      const ada = await begunPerson(app);

      await sends(ada, { ...FORWARD, ...media, caption: OTHER });
      await app.pass(WINDOW_MS);

      const lines = await linesOf(ada);
      expect(lines.some(({ text }) => text.includes(OTHER))).toBe(true);
      expect(lines.map(({ author }) => author?.name)).toEqual(lines.map(() => 'Teacher'));
      expect(await scored(ada)).toEqual([]);
    });

    test.each([
      [
        'a user',
        {
          type: 'user',
          sender_user: { id: 7, is_bot: false, first_name: 'Sam', last_name: 'Lee' },
        },
        'Sam Lee',
      ],
      [
        'a channel',
        { type: 'channel', chat: { id: -1, type: 'channel', title: 'News' }, message_id: 1 },
        'News',
      ],
      [
        'a group',
        { type: 'chat', sender_chat: { id: -2, type: 'supergroup', title: 'Bakers' } },
        'Bakers',
      ],
    ])('from %s, its name is kept', async (_, origin, name) => {
      const ada = await begunPerson(app);

      await sends(ada, { text: OTHER, forward_origin: { date: 1, ...origin } });

      expect(await linesOf(ada)).toMatchObject([{ author: { how: 'forwarded', name } }]);
    });

    test('a text that a bot wrote in their name is the bot’s', async () => {
      const ada = await begunPerson(app);

      await sends(ada, { text: OTHER, via_bot: BOT_USER });
      await app.pass(WINDOW_MS);

      expect(await linesOf(ada)).toMatchObject([{ author: { how: 'bot', name: 'gif' } }]);
      expect(asked().data).toMatchObject({ answer: '', said: [{ from: 'the bot gif' }] });
      expect(await scored(ada)).toEqual([]);
    });

    test('their own message, forwarded from another chat, is theirs', async () => {
      const ada = await begunPerson(app);

      const origin = { type: 'user', date: 1, sender_user: ada.user.user };
      await sends(ada, { text: OWN, forward_origin: origin });
      await app.pass(WINDOW_MS);

      expect(asked().data.answer).toBe(OWN);
      expect(await linesOf(ada)).toMatchObject([{ author: null }]);
      expect(await scored(ada)).toEqual([OWN]);
    });
  });

  describe('links', () => {
    const TEXT = 'My bread 🍞 and my shop, see https://shop.example';
    const LINK: MessageEntity[] = [
      { type: 'bold', offset: 0, length: 2 },
      { type: 'text_link', offset: 16, length: 7, url: 'https://ada.example/shop' },
      { type: 'text_link', offset: 29, length: 20, url: 'https://shop.example/' },
      { type: 'text_link', offset: 3, length: 8, url: 'https://ada.example/bread' },
    ];
    const WHOLE =
      'My bread 🍞 (https://ada.example/bread) and my shop (https://ada.example/shop), see https://shop.example';

    test('the address behind linked words follows them, once', async () => {
      const ada = await begunPerson(app);

      await ada.does((user) => user.writes(TEXT, { entities: LINK }));
      await app.pass(WINDOW_MS);

      expect(await ada.said()).toEqual([WHOLE]);
      expect(asked().data.answer).toBe(WHOLE);
    });

    test('also in a caption, in a reply, behind a command, and after an edit', async () => {
      const ada = await begunPerson(app);
      const links = [{ type: 'text_link', offset: 0, length: 4, url: 'https://a.example' }];
      const document = { file_id: 'd', file_unique_id: 'd', file_name: 'cv.pdf' };
      await sends(ada, { document, caption: 'Shop', caption_entities: links });
      await ada.does((user) => user.writes('Shop', { entities: links as MessageEntity[] }));
      const behind = [
        { type: 'bot_command', offset: 0, length: 5 },
        { type: 'text_link', offset: 6, length: 4, url: 'https://b.example' },
      ];
      await sends(ada, { text: '/done Shop', entities: behind });
      const { message_id: id } = ada.user.writes('My shop');
      await app.settle();
      const found = ada.chat.messages.find((one) => one.id === id)?.message;
      const entities = [{ type: 'text_link', offset: 3, length: 4, url: 'https://c.example' }];
      await takeUpdate(app, { update_id: 900_000_044, edited_message: { ...found, entities } });
      await app.pass(WINDOW_MS);

      const said = await ada.said();
      expect(said).toContain('Shop (https://b.example)');
      expect(said).toContain('My shop (https://c.example)');
      expect(said.filter((text) => text === 'Shop (https://a.example)')).toHaveLength(2);
    });

    test('more addresses than a message may have are left out, and that is said', async () => {
      const ada = await begunPerson(app);
      const words = Array.from({ length: 100 }, () => 'word').join(' ');
      const entities = Array.from({ length: 100 }, (_, index) => ({
        type: 'text_link' as const,
        offset: index * 5,
        length: 4,
        url: `https://example.org/${'a'.repeat(1000)}`,
      }));

      await ada.does((user) => user.writes(words, { entities }));

      const [said = ''] = await ada.said();
      expect(said.match(/word/g)).toHaveLength(100);
      expect(said.length).toBeLessThan(16_000);
      expect(said).toContain('word (…)');
    });
  });

  describe('what it refers to', () => {
    test('a reply names the line, and the model reads its words', async () => {
      const ada = await begunPerson(app);
      const first = await ada.writes('Rye or wheat.');
      await ada.writes('The first one.', first);
      await app.pass(WINDOW_MS);

      const [line, reply] = await linesOf(ada);
      expect(reply?.repliesTo).toEqual({ number: line?.number, quote: 'Rye or wheat.' });
      const { system, data } = asked();
      expect(data.answer).toBe('Rye or wheat.\n\nThe first one.');
      expect(data.said[1]).toMatchObject({ repliesTo: 'Rye or wheat.' });
      expect(system).toContain('repliesTo, the words');
    });

    test('a reply to the interviewer names its line', async () => {
      const ada = await begunPerson(app);
      const question = ada.chat.messages.findLast(({ fromBot }) => fromBot);
      const words = question?.text.replace(/\s+/g, ' ');

      await ada.writes('Because of the smell.', question?.id);
      await app.pass(WINDOW_MS);

      const [reply] = await linesOf(ada);
      expect(reply?.repliesTo?.number).toBeLessThan(reply?.number ?? 0);
      expect(asked().data.said).toMatchObject([{ repliesTo: words }]);
    });

    test.each([
      ['the quoted words', { quote: { text: 'only rye', position: 3 } }, 'only rye'],
      [
        'the words of another chat',
        {
          external_reply: { origin: { type: 'hidden_user', date: 1, sender_user_name: 'Sam' } },
          quote: { text: 'bakers wanted', position: 0 },
        },
        'bakers wanted',
      ],
      [
        'who wrote in another chat, when nothing is quoted',
        { external_reply: { origin: { type: 'hidden_user', date: 1, sender_user_name: 'Sam' } } },
        'Sam',
      ],
      [
        'whose story it was',
        { reply_to_story: { id: 1, chat: { id: 7, type: 'private', first_name: 'Sam' } } },
        'Sam',
      ],
    ])('%s are kept', async (_, refers, quote) => {
      const ada = await begunPerson(app);

      await sends(ada, { text: 'Yes, that.', ...refers });
      await app.pass(WINDOW_MS);

      expect(await linesOf(ada)).toMatchObject([{ repliesTo: { number: null, quote } }]);
      expect(asked().data.said).toMatchObject([{ repliesTo: quote }]);
    });
  });

  describe('what has no text', () => {
    const SAM = { first_name: 'Sam', last_name: 'Referee', phone_number: '+1 555 0100' };
    const PLACE = { latitude: 52.5, longitude: 13.4 };

    test.each([
      ['a contact', { contact: SAM }, '[contact: Sam Referee, +1 555 0100]'],
      ['a place on the map', { location: PLACE }, '[location: 52.50000, 13.40000]'],
      [
        'a place with a name',
        { location: PLACE, venue: { location: PLACE, title: 'Bakery', address: 'Main St 1' } },
        '[place: Bakery, Main St 1, 52.50000, 13.40000]',
      ],
      [
        'a poll',
        {
          poll: {
            id: '1',
            question: 'Which\nbread?',
            options: [{ text: 'Rye' }, { text: 'Wheat' }],
          },
        },
        '[poll: Which bread? Rye / Wheat]',
      ],
      [
        'a checklist',
        {
          checklist: {
            title: 'Today',
            tasks: [
              { id: 1, text: 'knead' },
              { id: 2, text: 'bake' },
            ],
          },
        },
        '[checklist: Today: knead; bake]',
      ],
      ['a dice', { dice: { emoji: '🎲', value: 3 } }, '[dice: 🎲 3]'],
      [
        'a story',
        { story: { id: 1, chat: { id: 7, type: 'private', first_name: 'Sam' } } },
        '[story: Sam]',
      ],
    ])('%s is one readable line', async (_, content, line) => {
      const ada = await begunPerson(app);

      await sends(ada, content);

      expect(ada.heard).toEqual([EN.attachmentKept]);
      expect(await ada.said()).toEqual([line]);
    });

    test('in a Russian interview the line is Russian', async () => {
      const ada = await begunPerson(app);
      await app.sql(`update conversation set language = 'ru' where id = $1`, [
        await ada.conversationId(),
      ]);

      await sends(ada, { contact: SAM });

      expect(ada.heard).toEqual([RU.attachmentKept]);
      expect(await ada.said()).toEqual(['[контакт: Sam Referee, +1 555 0100]']);
    });
  });

  describe('audio', () => {
    test.each([
      ['application/ogg', 'answer.ogg', oggOpus(), 'audio/ogg', 'voice.ogg'],
      ['video/ogg', 'answer.ogv', oggOpus(), 'audio/ogg', 'voice.ogg'],
      [
        'video/webm',
        'answer.webm',
        Buffer.from('\x1a\x45\xdf\xa3', 'latin1'),
        'video/webm',
        'voice.webm',
      ],
      ['application/octet-stream', 'answer.mp3', mp3(), 'audio/mpeg', 'voice.mp3'],
      ['', 'answer.mp3', mp3(), 'audio/mpeg', 'voice.mp3'],
      ['audio/ogg', 'answer.ogg', mp3(), 'audio/mpeg', 'voice.mp3'],
    ])(
      'announced as "%s" under the name %s, it is heard',
      async (mimeType, name, bytes, fileType, fileName) => {
        const ada = await begunPerson(app);
        model.transcriptions.next({ kind: 'text', text: 'I bake rye.' });

        await ada.does((user) => user.sendsDocument(bytes, { name, mimeType }));

        expect(await ada.said()).toEqual(['I bake rye.']);
        expect(model.transcriptions.requests.at(-1)).toMatchObject({ fileType, fileName });
      },
    );

    test('a voice has the length of its recording, whatever is announced', async () => {
      const ada = await begunPerson(app);
      model.transcriptions.next({ kind: 'text', text: 'I bake rye.' });

      await ada.does((user) => user.sendsVoice(oggOpus(), { durationS: 999 }));

      expect(await linesOf(ada)).toMatchObject([{ voice: { durationS: 4 } }]);
    });

    test('a document that is none stays a file', async () => {
      const ada = await begunPerson(app);

      await ada.does((user) =>
        user.sendsDocument(PDF, { name: 'cv.pdf', mimeType: 'application/pdf' }),
      );

      expect(await linesOf(ada)).toMatchObject([{ voice: null, file: { state: 'kept' } }]);
    });
  });

  test('after the end, what a message carries is kept, too', async () => {
    const ada = newPerson(app);
    await ada.starts(app.vacancy.openToken);
    await ada.agrees();
    await app.sql(`update conversation set status = 'withdrawn' where id = $1`, [
      await ada.conversationId(),
    ]);

    await ada.does((user) => user.forwards(OTHER, 'Teacher'));

    expect(await linesOf(ada)).toMatchObject([{ text: OTHER, author: { name: 'Teacher' } }]);
  });
});
