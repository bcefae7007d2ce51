/**
 * A candidate who uses the page. It finds everything by role and label, as a person would, in the
 * language of the invitation.
 */
import { ADMIN_TOKEN, equal, until } from './harness.mjs';

const WORDS = {
  en: {
    begin: 'Begin',
    agree: /^I agree/,
    refuse: /don’t agree/,
    reconsider: /changed my mind/,
    name: 'Your name',
    contact: /Email/,
    start: 'Start the interview',
    answer: 'Your answer',
    send: 'Send',
    done: 'That’s my answer',
    taking: 'Taking your answer…',
    stop: 'Stop',
    continue: 'Continue',
    away: /Waiting for the interviewer/,
    stopped: 'Stopped here',
    unsent: 'Not sent yet',
    lost: /Connection lost/,
    listening: /Keep writing/,
    more: 'More',
    otherLanguage: 'Русский',
    otherAnswer: 'Ваш ответ',
    otherMore: 'Ещё',
    thisLanguage: 'English',
    progress: /Question \d+ of \d+/,
    person: 'Ask for a person',
    personConfirm: 'Ask for a person',
    withdraw: /Withdraw from/,
    withdrawConfirm: 'Withdraw',
    data: 'Download my data',
    dataConfirm: 'Download',
    leave: 'Sign out on this device',
    leaveConfirm: 'Sign out',
    left: 'You’re signed out on this device',
    erase: 'Delete my data',
    eraseConfirm: 'Delete everything',
    erased: 'Your data has been deleted',
    cancel: 'Cancel',
    completed: /^You’re all done, Maria. Nora will reply by \d+ \w+\.$/,
    allDone: 'All done · 8 of 8',
    answers: 'Download my answers',
    add: 'Add something',
    unusual: /Is this right\?/,
    confirmContact: 'Yes, this is right',
    askedForPerson: 'A person will write to you here',
    withPerson: 'You are talking to a person',
    fromPerson: 'A person from the hiring team',
    resume: 'Continue the interview',
    goingOn: "Let's go on with the interview.",
    withdrawn: 'You have withdrawn',
    declined: 'You chose not to take part',
    unknown: 'This link doesn’t work',
    expired: 'This link has expired',
    goOn: /it’s mine, and I agree/,
    notMine: 'No, it isn’t mine',
    nothingLinked: 'All right',
    used: 'This link has already been used',
    telegram: 'Continue in Telegram',
    openTelegram: 'Open Telegram',
    stay: 'Stay here',
    failed: 'That didn’t work',
  },
  ru: {
    begin: 'Начать',
    agree: /Даю согласие/,
    refuse: /Не даю/,
    reconsider: 'Вернуться к интервью',
    name: 'Ваше имя',
    contact: /Почта/,
    start: 'Начать интервью',
    answer: 'Ваш ответ',
    send: 'Отправить',
    done: 'Это весь ответ',
    taking: 'Принимаю ваш ответ…',
    stop: 'Стоп',
    continue: 'Продолжить',
    away: /Ждём интервьюера/,
    stopped: 'Остановлено здесь',
    unsent: 'Ещё не отправлено',
    lost: /Связь пропала/,
    listening: /Пишите дальше/,
    more: 'Ещё',
    otherLanguage: 'English',
    otherAnswer: 'Your answer',
    otherMore: 'More',
    thisLanguage: 'Русский',
    progress: /Вопрос \d+ из \d+/,
    person: 'Позвать человека',
    personConfirm: 'Позвать человека',
    withdraw: /Отказаться от/,
    withdrawConfirm: 'Отказаться',
    data: 'Скачать мои данные',
    dataConfirm: 'Скачать',
    leave: 'Завершить сеанс на этом устройстве',
    leaveConfirm: 'Завершить сеанс',
    left: 'Сеанс на этом устройстве завершён',
    erase: 'Удалить мои данные',
    eraseConfirm: 'Удалить всё',
    erased: 'Ваши данные удалены',
    cancel: 'Отмена',
    completed: /^Всё готово\. Марина ответит не позднее \d+ [а-я]+\.$/,
    allDone: 'Готово · 7 из 7',
    answers: 'Скачать мои ответы',
    add: 'Дописать',
    unusual: /Всё верно\?/,
    confirmContact: 'Да, всё верно',
    askedForPerson: 'Человек напишет вам здесь',
    withPerson: 'С вами говорит человек',
    fromPerson: 'Пишет человек из команды по найму',
    resume: 'Вернуться к интервью',
    goingOn: 'Продолжим интервью.',
    withdrawn: 'Вы отказались от интервью',
    declined: 'Вы решили не участвовать',
    unknown: 'Ссылка не работает',
    expired: 'Срок действия ссылки истёк',
    goOn: /это моё, даю согласие/,
    notMine: 'Нет, это не моё',
    nothingLinked: 'Хорошо',
    used: 'Ссылка уже использована',
    telegram: 'Продолжить в Telegram',
    openTelegram: 'Открыть Telegram',
    stay: 'Остаться здесь',
    failed: 'Не получилось',
  },
};

export class Candidate {
  constructor(page, base, invite, language) {
    this.page = page;
    this.base = base;
    this.url = base + invite;
    this.language = language;
    this.words = WORDS[language];
    this.errors = [];
    page.on('pageerror', (error) => this.errors.push(error.message));
    page.on('console', (message) => {
      const isNetwork = /Failed to load resource|net::ERR_/.test(message.text());
      if (message.type() === 'error' && !isNetwork) this.errors.push(message.text());
    });
  }

  button(name) {
    return this.page.getByRole('button', { name, exact: typeof name === 'string' });
  }

  /** A button of the open dialog, whose name a button of the page may have too. */
  inDialog(name) {
    return this.page.getByRole('dialog').getByRole('button', { name, exact: true });
  }

  heading(name) {
    return this.page.getByRole('heading', { name });
  }

  field() {
    return this.page.getByLabel(this.words.answer);
  }

  async open() {
    await this.page.goto(this.url);
    await this.button(this.words.begin).click();
    await this.button(this.words.agree).waitFor();
  }

  async introduce(contact = 'maria@example.org') {
    const name = this.page.getByLabel(this.words.name);
    await name.or(this.field()).first().waitFor();
    if (!(await name.isVisible())) return;
    await name.fill('Maria Orlova');
    await this.page.getByLabel(this.words.contact).fill(contact);
    await this.button(this.words.start).click();
  }

  async write(text) {
    await this.field().fill(text);
    await this.button(this.words.send).click();
  }

  async done() {
    await this.button(this.words.done).click();
  }

  async chooseMore(item, more = this.words.more) {
    await this.button(more).click();
    await this.button(item).click();
  }

  /** The conversation at the server, read with the page's own cookie. */
  conversation() {
    return this.page.evaluate(async () => (await fetch('/api/v1/conversation')).json());
  }

  /** Sends an action of the hiring team on the attention item of this candidate. */
  async team(what, body) {
    const { id } = await this.conversation();
    const url = `${this.base}/api/v1/admin/attention`;
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' };
    const { items } = await (await fetch(url, { headers })).json();
    const item = items.find(({ conversationId }) => conversationId === id);
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    equal((await fetch(`${url}/${item?.id}/${what}`, init)).status, 200, what);
  }

  async replies() {
    const { messages } = await this.conversation();
    return messages.filter(({ role }) => role === 'assistant').length;
  }

  /** Waits until the collected answer has its reply and nothing runs. */
  quiet(isSo = () => true) {
    return until('the reply to be finished', async () => {
      const view = await this.conversation();
      return !view.hasBuffer && !view.replying && isSo(view) && view;
    });
  }

  /** Says that the answer is whole, and waits for its reply. */
  async finishAnswer() {
    await this.done();
    return this.quiet();
  }

  /** Checks that the page shows every stored message once, whole, in the server's order. */
  async seesTheWholeTranscript() {
    const { messages } = await this.conversation();
    const squeezed = (text) => text.replace(/\s+/g, ' ').trim();
    const expected = messages.map(({ text }) => squeezed(text));
    const shown = () =>
      this.page.getByRole('log').evaluate((log) =>
        [...log.querySelectorAll('.saying > .words, .own-text, .note > [lang]')].map((part) => {
          const paragraphs = [...part.querySelectorAll('p')];
          const texts = paragraphs.length > 0 ? paragraphs : [part];
          return texts
            .map(({ textContent }) => textContent)
            .join(' ')
            .replace(/\s+/g, ' ')
            .trim();
        }),
      );
    await until('the page to show the transcript', async () => {
      return JSON.stringify(await shown()) === JSON.stringify(expected);
    }).catch(async () => equal(await shown(), expected, 'the transcript'));
  }
}
