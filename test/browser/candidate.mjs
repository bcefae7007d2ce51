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
    start: /first question/,
    answer: 'Your answer',
    send: 'Send',
    done: 'Done',
    stop: 'Stop',
    stopped: 'Stopped here',
    unsent: 'Not sent yet',
    lost: /Connection lost/,
    listening: /You can keep writing/,
    more: 'More',
    otherLanguage: 'Русский',
    otherAnswer: 'Ваш ответ',
    otherMore: 'Ещё',
    thisLanguage: 'English',
    progress: /Question \d+ of \d+/,
    person: 'Talk to a person',
    personConfirm: /person please/,
    withdraw: /Withdraw from/,
    withdrawConfirm: 'Withdraw',
    data: 'Download my data',
    dataConfirm: 'Download',
    leave: 'Leave this device',
    leaveConfirm: 'Leave',
    left: 'You have left this device',
    erase: 'Delete my data',
    eraseConfirm: 'Delete everything',
    erased: 'Your data has been deleted',
    cancel: 'Cancel',
    completed: 'That was the last question',
    askedForPerson: 'A person will write to you here',
    withPerson: 'You are talking to a person',
    fromPerson: 'From a person of the hiring team',
    resume: 'Go on with the interview',
    goingOn: "Let's go on with the interview.",
    withdrawn: 'You have withdrawn',
    declined: 'You chose not to take part',
    unknown: 'We don’t know this link',
    expired: 'This link has expired',
    goOn: /this is mine, and I agree/,
    notMine: 'No, this is not mine',
    nothingLinked: 'Alright',
    used: 'This link has already been used',
    telegram: 'Continue in Telegram',
    openTelegram: 'Open Telegram',
    stay: 'Stay here',
    failed: 'That did not get through',
  },
  ru: {
    begin: 'Начать',
    agree: /Даю согласие/,
    refuse: /Не даю/,
    reconsider: 'Передумать',
    name: 'Как вас зовут',
    contact: /Почта/,
    start: /первому вопросу/,
    answer: 'Ваш ответ',
    send: 'Отправить',
    done: 'Готово',
    stop: 'Стоп',
    stopped: 'Остановлено здесь',
    unsent: 'Ещё не отправлено',
    lost: /Связь пропала/,
    listening: /Можно писать дальше/,
    more: 'Ещё',
    otherLanguage: 'English',
    otherAnswer: 'Your answer',
    otherMore: 'More',
    thisLanguage: 'Русский',
    progress: /Вопрос \d+ из \d+/,
    person: 'Позвать человека',
    personConfirm: /Да, позовите/,
    withdraw: /Выйти из/,
    withdrawConfirm: 'Выйти',
    data: 'Скачать мои данные',
    dataConfirm: 'Скачать',
    leave: 'Завершить сеанс на этом устройстве',
    leaveConfirm: 'Завершить сеанс',
    left: 'Сеанс на этом устройстве завершён',
    erase: 'Удалить мои данные',
    eraseConfirm: 'Удалить всё',
    erased: 'Ваши данные удалены',
    cancel: 'Отмена',
    completed: 'Это был последний вопрос',
    askedForPerson: 'Человек напишет вам здесь',
    withPerson: 'С вами говорит человек',
    fromPerson: 'Пишет человек из команды по найму',
    resume: 'Вернуться к интервью',
    goingOn: 'Продолжим интервью.',
    withdrawn: 'Вы вышли из интервью',
    declined: 'Вы решили не участвовать',
    unknown: 'Такой ссылки мы не знаем',
    expired: 'Срок действия ссылки истёк',
    goOn: /это моё, даю согласие/,
    notMine: 'Нет, это не моё',
    nothingLinked: 'Хорошо',
    used: 'Эта ссылка уже сработала',
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

  async introduce() {
    const name = this.page.getByLabel(this.words.name);
    await name.or(this.field()).first().waitFor();
    if (!(await name.isVisible())) return;
    await name.fill('Maria Orlova');
    await this.page.getByLabel(this.words.contact).fill('maria@example.org');
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

  /** Checks that the page shows every stored message once, whole, in the server's order. */
  async seesTheWholeTranscript() {
    const { messages } = await this.conversation();
    const squeezed = (text) => text.replace(/\s+/g, ' ').trim();
    const expected = messages.map(({ text }) => squeezed(text));
    const shown = () =>
      this.page
        .getByRole('log')
        .evaluate((log) =>
          [...log.querySelectorAll('.saying > p:first-child, .own-text, .note > [lang]')].map(
            (part) => part.textContent.replace(/\s+/g, ' ').trim(),
          ),
        );
    await until('the page to show the transcript', async () => {
      return JSON.stringify(await shown()) === JSON.stringify(expected);
    }).catch(async () => equal(await shown(), expected, 'the transcript'));
  }
}
