/** What a recruiter's transcript shows of labels, touched questions, models and prompts. */
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import type { Language } from '../../web/src/api/wire';
import { LanguageContext } from '../../web/src/components/language';
import { AdminApi } from '../../web/src/console/admin-api';
import { Reading } from '../../web/src/console/reading';
import { consoleTexts } from '../../web/src/console/texts';
import type { Transcript, TranscriptLine } from '../../web/src/console/wire';
import { dictionaries } from '../../web/src/i18n/dictionary';

const PLAIN: Omit<TranscriptLine, 'id' | 'seq' | 'number' | 'text'> = {
  role: 'user',
  isFromPerson: false,
  channel: 'web',
  at: '2026-05-04T10:00:00.000Z',
  editedAt: null,
  amendsNumber: null,
  isPartial: false,
  author: null,
  attachment: null,
  voice: null,
  file: null,
  label: null,
  origin: null,
  touchedIn: null,
};

function transcriptOf(...changes: readonly Partial<TranscriptLine>[]): Transcript {
  return {
    conversationId: '01a20000-0000-7000-8000-000000000001',
    language: 'en',
    company: 'Crumb',
    vacancy: 'Baker',
    candidate: { name: 'Ada', contact: null },
    status: 'active',
    beganAt: null,
    completedAt: null,
    coverage: { counted: 'all', of: 3, asked: 3, answered: 1 },
    olderCursor: null,
    lines: changes.map((change, index) => {
      const number = index + 3;
      return { ...PLAIN, id: `id-${number}`, seq: number, number, text: 'Said.', ...change };
    }),
  };
}

function htmlOf(language: Language, transcript: Transcript): string {
  const nothing = () => undefined;
  const reading = createElement(Reading, {
    transcript,
    older: { cursor: null, state: 'idle' },
    api: new AdminApi('token'),
    onOlder: nothing,
    onLock: nothing,
  });
  const value = { language, texts: dictionaries[language], choose: nothing } as const;
  return renderToStaticMarkup(createElement(LanguageContext, { value }, reading));
}

/** The notes above each line, links as `[text](#place)`. */
function notesOf(language: Language, transcript: Transcript): string[] {
  const html = htmlOf(language, transcript);
  const heads = [...html.matchAll(/<p class="reading-head">.*?<\/time>(.*?)<\/p>/g)];
  return heads.map(([, head = '']) =>
    head
      .replace(/<a href="(.*?)">(.*?)<\/a>/g, '[$2]($1)')
      .replace(/<\/span><span>/g, '; ')
      .replace(/<.*?>/g, ''),
  );
}

const none = { question: null, corrects: null, touches: [] };
const LABELLED = transcriptOf(
  {
    label: { ...none, name: 'answer', question: 1, touches: [{ question: 3, askedIn: 10 }] },
  },
  { label: { ...none, name: 'addition', question: 2 } },
  { label: { ...none, name: 'correction', question: 1, corrects: 3 } },
  { label: { ...none, name: 'correction', question: 1, corrects: 1 } },
  { label: { ...none, name: 'correction', question: 1 } },
  { label: { ...none, name: 'question' } },
  { label: { ...none, name: 'aside' } },
  { role: 'assistant', channel: 'code', touchedIn: 3 },
  { label: { ...none, name: 'correction', question: 1, corrects: 3 }, amendsNumber: 3 },
);

test('each message shows what it was read as, and links lead only to lines of the page', () => {
  expect(notesOf('en', LABELLED)).toEqual([
    'No. 3; web page; answers question 1; touches on question 3 ([No. 10](#line-10))',
    'No. 4; web page; added to question 2',
    'No. 5; web page; corrects [No. 3](#line-3)',
    'No. 6; web page; corrects No. 1',
    'No. 7; web page; corrects the answer to question 1',
    'No. 8; web page; asks a question',
    'No. 9; web page; not an answer',
    'No. 10; touched on before in [No. 3](#line-3)',
    'No. 11; web page; corrects No. 3',
  ]);
});

test('the same in Russian', () => {
  expect(notesOf('ru', LABELLED)).toEqual([
    '№ 3; веб-страница; ответ на вопрос 1; затронут вопрос 3 ([№ 10](#line-10))',
    '№ 4; веб-страница; дополнение к вопросу 2',
    '№ 5; веб-страница; исправляет [№ 3](#line-3)',
    '№ 6; веб-страница; исправляет № 1',
    '№ 7; веб-страница; исправление к вопросу 1',
    '№ 8; веб-страница; вопрос кандидата',
    '№ 9; веб-страница; не ответ',
    '№ 10; об этом уже говорилось: [№ 3](#line-3)',
    '№ 11; веб-страница; исправляет № 3',
  ]);
});

const BESIDE_TEXT = transcriptOf(
  { author: { how: 'forwarded', name: 'Teacher' } },
  { author: { how: 'forwarded', name: null }, repliesTo: { number: 3, quote: 'Rye.' } },
  { author: { how: 'bot', name: 'gif' }, repliesTo: { number: 1, quote: null } },
  { repliesTo: { number: null, quote: 'From another chat.' } },
  { attachment: 'contact', text: '[contact: Sam, +1 555 0100]' },
  { attachment: 'video', text: '[video]' },
);

test('words of others are shown as such, and replies with what they refer to', () => {
  expect(notesOf('en', BESIDE_TEXT)).toEqual([
    'No. 3; web page; forwarded from Teacher: not the candidate’s own words',
    'No. 4; web page; forwarded: not the candidate’s own words; replies to [No. 3](#line-3) Rye.',
    'No. 5; web page; written by the bot gif, not by the candidate; replies to No. 1',
    'No. 6; web page; replies to From another chat.',
    'No. 7; web page',
    'No. 8; web page; came with something other than text; it is still in the channel',
  ]);
  expect(notesOf('ru', BESIDE_TEXT).slice(0, 4)).toEqual([
    '№ 3; веб-страница; переслано, автор: Teacher; это не слова кандидата',
    '№ 4; веб-страница; переслано; это не слова кандидата; ответ на [№ 3](#line-3) Rye.',
    '№ 5; веб-страница; написал бот gif, а не кандидат; ответ на № 1',
    '№ 6; веб-страница; ответ на From another chat.',
  ]);
});

test.each(['en', 'ru'] as const)('a channel without a name here is shown by its own (%s)', (of) => {
  const [note] = notesOf(of, transcriptOf({ channel: 'whatsapp' }));

  expect(note).toMatch(/^\S+ 3; whatsapp$/);
});

test.each([
  ['en', 'Details', 'Model: m-1', 'Prompt: interviewer 3 (0123456789ab)'],
  ['ru', 'Подробности', 'Модель: m-1', 'Промпт: interviewer 3 (0123456789ab)'],
] as const)("a model's reply shows its model and prompt (%s)", (language, ...shown) => {
  const origin = { model: 'm-1', prompt: 'interviewer 3 (0123456789ab)' };
  const role = 'assistant' as const;

  const html = htmlOf(language, transcriptOf({ role, origin }, { role }));

  expect(html.match(/<details.*?<\/details>/g)?.map((one) => one.match(/[^<>]+(?=<\/)/g))).toEqual([
    shown,
  ]);
});

test.each([
  ['en', ['Interviewer (AI)', 'Interviewer', 'Hiring team', 'Candidate']],
  ['ru', ['Интервьюер (ИИ)', 'Интервьюер', 'Команда по найму', 'Кандидат']],
] as const)("only a model's words are shown as an AI's (%s)", (language, speakers) => {
  const role = 'assistant' as const;

  const origin = { model: 'm-1', prompt: 'interviewer 3 (0123456789ab)' };
  const person = { role, isFromPerson: true };

  const html = htmlOf(language, transcriptOf({ role, origin }, { role }, person, {}));

  expect(html.match(/(?<=<b>)[^<]*/g)).toEqual(speakers);
});

test.each([
  ['en', 'deleted: its retention period is over'],
  ['ru', 'удалён: срок хранения истёк'],
] as const)('a deleted file shows why it cannot be downloaded (%s)', (language, note) => {
  const file = {
    name: 'cv.pdf',
    sizeBytes: 1,
    mimeType: 'application/pdf',
    state: 'deleted',
    needsPassword: false,
  } as const;

  const transcript = transcriptOf({ file });

  expect(notesOf(language, transcript)[0]).toContain(note);
  expect(htmlOf(language, transcript)).not.toContain(consoleTexts[language].download);
});
