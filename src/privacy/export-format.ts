/**
 * What is stored about a person, for that person, apart from what a model wrote for itself. Field names are stable; `notes` explains
 * them. Times become ISO 8601 in JSON. It holds no hashes of links, PINs or sessions, so it gives
 * access to nothing.
 */
export interface PersonalDataExport {
  readonly exportedAt: Date;
  /** What the fields mean, in the language of the last conversation. */
  readonly notes: Readonly<Record<string, string>>;
  readonly profile: ProfileExport;
  readonly invitations: readonly InvitationExport[];
  readonly conversations: readonly ConversationExport[];
  /**
   * By name: what other rooms keep about the person: channels, Notion, scores, ratings, comments, decisions,
   * a legal hold.
   */
  readonly holders: Readonly<Record<string, unknown>>;
}

export interface ProfileExport {
  readonly name: string | null;
  readonly contact: string | null;
  readonly telegramUsername: string | null;
  readonly createdAt: Date;
}

export interface InvitationExport {
  readonly vacancy: string;
  readonly company: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
  /** The hiring team's own id and fields of it. */
  readonly externalId: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface ConversationExport extends ConversationFacts {
  readonly transcript: readonly LineExport[];
  readonly turns: readonly TurnExport[];
  readonly modelRequests: readonly ModelRequestExport[];
  readonly deliveries: readonly DeliveryExport[];
  readonly attention: readonly AttentionExport[];
  readonly sessions: readonly { readonly createdAt: Date }[];
  readonly continuations: readonly ContinuationExport[];
}

export interface ConversationFacts {
  readonly id: string;
  readonly vacancy: string;
  readonly company: string;
  readonly language: 'ru' | 'en';
  readonly status: string;
  readonly owner: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly consent: {
    readonly version: string;
    readonly accepted: boolean;
    readonly at: Date;
  } | null;
  readonly timeZone: string | null;
  readonly automatedProcessingObjectedAt: Date | null;
  readonly interviewStep: number;
  readonly agent: string;
  readonly progress: unknown;
  readonly metadata: unknown;
  readonly learnedQuietTime: LearnedQuietTime;
}

/** How the candidate paces messages; the quiet time that is waited for is computed from it. */
export interface LearnedQuietTime {
  readonly messages: number;
  readonly pauses: number;
  /** Null: no pause was measured yet. */
  readonly typicalPauseSeconds: number | null;
  /** Standard deviation of the logarithm of the pauses. */
  readonly spread: number;
  /**
   * After a message that looks complete, unclear or unfinished, before the bounds of the settings. Null:
   * too little is known yet.
   */
  readonly quietTimeSeconds: readonly number[] | null;
}

export interface LineExport {
  readonly seq: number;
  readonly role: 'user' | 'assistant' | 'system' | 'event';
  readonly channel: string;
  readonly channelId: string;
  readonly contentType: string;
  readonly text: string;
  readonly at: Date;
  readonly editedAt: Date | null;
  readonly typedAt: Date | null;
  /** The line that it corrects. */
  readonly amendsSeq: number | null;
  readonly questionId: string | null;
  readonly turn: string | null;
  readonly beforeReply: boolean;
  readonly isPartial: boolean;
  readonly isFromPerson: boolean;
  readonly event: unknown;
  /** What came with the message apart from its text, e.g. a photo; the channel keeps it. */
  readonly attachment: unknown;
  readonly voice: VoiceExport | null;
  readonly file: FileExport | null;
  /** What the message is: an answer, an addition, a correction, a question or an aside. */
  readonly label: unknown;
}

export interface VoiceExport {
  readonly type: string;
  readonly seconds: number | null;
  readonly bytes: number;
  readonly heard: string | null;
  /** Base64; null: it is not stored, or the export would be too large with it. */
  readonly recording: string | null;
}

export interface FileExport {
  readonly name: string;
  readonly type: string | null;
  readonly bytes: number;
  readonly state: string;
  /** A PDF that nobody opens without a password or a certificate. */
  readonly needsPassword: boolean;
  /** Base64; null: it is not stored, or the export would be too large with it. */
  readonly content: string | null;
}

export interface TurnExport {
  readonly id: string;
  readonly state: string;
  readonly channel: string;
  readonly interviewStep: number;
  readonly agent: string | null;
  readonly verdict: string | null;
  /** The interviewer's instructions, by name, version and hash. */
  readonly prompt: string | null;
  readonly decision: unknown;
  readonly replyText: string | null;
  readonly isPartial: boolean;
  readonly error: string | null;
  readonly startedAt: Date;
  readonly repliedAt: Date | null;
  readonly completedAt: Date | null;
}

export interface ModelRequestExport {
  /** Null: a scoring, or a recording whose transcript no reply has used. */
  readonly turn: string | null;
  readonly purpose: string;
  readonly model: string;
  readonly sentAt: Date;
  /** Null in requests for anything else than a reply, and before they were stored. */
  readonly parameters: unknown;
  readonly promptHash: string | null;
  readonly input: unknown;
  readonly inputHash: string | null;
}

export interface DeliveryExport {
  readonly kind: string;
  readonly channel: string;
  readonly chat: string;
  readonly lineSeq: number;
  readonly part: number;
  readonly state: string;
  readonly isConfirmed: boolean;
  readonly sentAt: Date | null;
}

export interface AttentionExport {
  readonly kind: string;
  readonly reason: string;
  readonly createdAt: Date;
  readonly closedAt: Date | null;
  readonly resolution: string | null;
}

/** A link that continues the interview on another channel. */
export interface ContinuationExport {
  readonly createdAt: Date;
  readonly channel: string;
  /** Null: nobody has opened it. */
  readonly usedAt: Date | null;
  readonly expiresAt: Date;
}

type Notes = Readonly<Record<string, string>>;

const EN: Notes = {
  conversations:
    'Your interviews. Links, PINs and sessions are stored only as hashes, which are left out here.',
  consent: 'How you replied to the notice about who asks, when, and to which version of its text.',
  automatedProcessingObjectedAt:
    'When you objected to automated processing; since then the interview is not scored, and the hiring ' +
    'team is not shown earlier scores.',
  status:
    'Where the interview stands: new, active, completed, declined, withdrawn, handed_over, or expired ' +
    'because you did not answer for days.',
  timeZone:
    'Your time zone, as your browser reported it, so that no reminder is sent to you at night.',
  owner:
    'Who replies to you. model: the interviewer, an AI or a script; asked: nobody yet, because you asked for a ' +
    'person; person: someone from the hiring team.',
  interviewStep: 'How many replies the interviewer has given.',
  agent: 'Which part of the interviewer spoke last; in turns, which part began the reply.',
  progress: 'Which questions were asked and how each one ended.',
  metadata: 'Notes that the program keeps about the course of the interview.',
  learnedQuietTime:
    'How long you usually pause between messages, so that a reply waits until you have finished. The ' +
    'quiet times are before the limits that hold for everybody.',
  transcript: 'Everything that was said, in order, and what happened meanwhile (role "event").',
  role: 'Who wrote it. user: you; assistant: the interviewer, an AI or a script; system: a notice from the program.',
  channelId: 'The id of the message in the channel that it came through.',
  typedAt: 'When you began to type again after this message.',
  amendsSeq: 'The number (seq) of your earlier message that this one corrects.',
  questionId: 'The question that was waiting for an answer when you wrote.',
  beforeReply: 'You wrote it before the previous reply had reached you.',
  isPartial: 'The reply was stopped early: this is all that was said.',
  isFromPerson: 'A person from the hiring team wrote it, not the interviewer.',
  voice: 'A voice message and its transcript.',
  recording:
    'The recording itself, in Base64. Null: it never arrived, or this export already holds 10 MB of ' +
    'recordings and files; the team provides the rest on request.',
  file:
    'A document or a picture that you sent. State: announced (not here yet), kept, ' +
    'refused (not kept), or deleted (its storage time is over). NeedsPassword: nobody opens it ' +
    'without a password.',
  content: 'The document or picture itself, in Base64; null means the same as for a recording.',
  attachment:
    'What came with a message: a sticker, a contact, whose words they are if you forwarded them (author), ' +
    'and what a reply refers to (reference). What is not under "file" or "voice" stays in the channel.',
  turns: 'Your answers as the program grouped them, each with the reply.',
  verdict:
    'How the interviewer read the answer to decide how to go on: answered, vague, question and so on.',
  modelRequests:
    'When your words were sent to an AI model, to which one, and what for. What came of it is in turns and ' +
    'scores. The notes that a model wrote for itself are left out, because they may repeat what the ' +
    'company looks for in an answer.',
  input:
    'What a model was given to write a reply: your messages, by their ids, and everything else that ' +
    'it was told. The hashes prove which instructions and which data were sent.',
  deliveries: 'What was sent to you: each part of a message and what became of it.',
  attention: 'What was shown to a person from the hiring team, and why.',
  sessions: 'When one of your browsers was given access to this interview.',
  continuations:
    'Links that continue this interview on another channel: when each was made, for which channel, ' +
    'when it was used (null: never), and until when it works.',
  holders:
    'What is kept outside the interviews: by the channels that you wrote through, and in Notion, ' +
    'where a page shows the finished interview to the hiring team; also the scores and ratings of ' +
    'your answers, comments of the hiring team, decisions about you with their reasons, and a legal hold, ' +
    'if there are any.',
};

const RU: Notes = {
  conversations:
    'Ваши интервью. Ссылки, PIN-коды и сеансы хранятся только в виде хешей и сюда не входят.',
  consent:
    'Как вы ответили на предупреждение о том, кто спрашивает, когда и на какую версию текста.',
  automatedProcessingObjectedAt:
    'Когда вы возразили против автоматизированной обработки; с тех пор интервью не оценивается, а ' +
    'прежние оценки команде по найму не показываются.',
  status:
    'На чём остановилось интервью: new — новое, active — идёт, completed — завершено, declined — вы ' +
    'не дали согласия, withdrawn — вы прекратили интервью, handed_over — передано человеку, ' +
    'expired — закончено, потому что долго не было ответа.',
  timeZone: 'Ваш часовой пояс по данным браузера, чтобы напоминания не приходили ночью.',
  owner:
    'Кто вам отвечает: model — интервьюер, ИИ или скрипт; asked — пока никто: вы попросили позвать человека; ' +
    'person — человек из команды по найму.',
  interviewStep: 'Сколько раз интервьюер вам ответил.',
  agent: 'Какая часть интервьюера отвечала последней; в turns — какая начала ответ.',
  progress: 'Какие вопросы были заданы и чем каждый закончился.',
  metadata: 'Заметки программы о ходе интервью.',
  learnedQuietTime:
    'Сколько вы обычно ждёте между сообщениями, чтобы ответ не пришёл раньше времени. Значения — до ' +
    'ограничений, общих для всех.',
  transcript: 'Всё, что было сказано, по порядку, и что при этом происходило (role "event").',
  role: 'Кто написал: user — вы, assistant — интервьюер, ИИ или скрипт; system — сообщение программы.',
  channelId: 'Номер сообщения в том канале, через который оно пришло.',
  typedAt: 'Когда вы снова начали печатать после этого сообщения.',
  amendsSeq: 'Номер (seq) вашего прежнего сообщения, которое исправлено этим.',
  questionId: 'Вопрос, который ждал ответа, когда вы писали.',
  beforeReply: 'Написано до того, как к вам пришёл предыдущий ответ.',
  isPartial: 'Ответ был прерван: это всё, что было сказано.',
  isFromPerson: 'Это написал человек из команды по найму, а не интервьюер.',
  voice: 'Голосовое сообщение и то, что в нём удалось расслышать.',
  recording:
    'Сама запись в Base64. Null: запись не дошла или в этой выгрузке уже 10 МБ записей и файлов; ' +
    'остальное команда пришлёт по запросу.',
  file:
    'Документ или изображение, которое вы прислали. State: announced — ещё не получен, kept — ' +
    'сохранён, refused — не принят, deleted — удалён: срок хранения истёк. NeedsPassword: без пароля его ' +
    'не открыть.',
  content: 'Сам документ или само изображение в Base64; null означает то же, что и у записи.',
  attachment:
    'Что пришло вместе с сообщением: стикер, контакт, чьи это слова, если вы их переслали (author), и на что ' +
    'отвечает сообщение (reference). Всё, чего нет в "file" и "voice", остаётся в канале.',
  turns: 'Ваши ответы так, как их сгруппировала программа, и реплика на каждый.',
  verdict:
    'Как интервьюер понял ответ, чтобы решить, что делать дальше: answered, vague, question и другие.',
  modelRequests:
    'Когда, какой модели ИИ и зачем отправлялись ваши слова. Что из этого получилось, видно в turns и ' +
    'scores. Черновых заметок модели здесь нет: в них может повторяться то, что компания ищет в ответе.',
  input:
    'Что получила модель, чтобы написать ответ: ваши сообщения (здесь их номера) и всё остальное, ' +
    'что ей передали. Хеши доказывают, какие инструкции и какие данные были отправлены.',
  deliveries: 'Что вам отправляли: каждая часть сообщения и что с ней стало.',
  attention: 'Что показали человеку из команды по найму и почему.',
  sessions: 'Когда вашему браузеру открыли доступ к этому интервью.',
  continuations:
    'Ссылки, по которым это интервью можно продолжить в другом канале: когда ссылка создана, для ' +
    'какого канала, когда использована (null — не использована) и до какого времени действует.',
  holders:
    'Что хранится помимо интервью: в каналах, через которые вы писали, и в Notion, где страница ' +
    'показывает команде по найму законченное интервью; а также оценки ваших ответов, заметки ' +
    'команды по найму, решения о вас с причинами и юридический запрет на удаление, если они есть.',
};

export function notesIn(language: 'ru' | 'en'): Notes {
  return language === 'ru' ? RU : EN;
}

/** The name under which an export is saved. */
export function fileNameIn(language: 'ru' | 'en'): string {
  return language === 'ru' ? 'мои-данные.json' : 'my-data.json';
}
