import type { TelegramTexts } from './texts';

const WAYS_IN =
  'To start, open the link in your invitation.\n\nIf you do not have the link at hand, you can enter the PIN from your invitation, or simply write the title of the job.';

export const ENGLISH: TelegramTexts = {
  doneButton: '✅ Done',
  commands: {
    done: 'My answer is complete',
    skip: 'Skip this question',
    status: 'Where we are',
    pause: 'Take a break',
    resume: 'Go on with the interview',
    human: 'Ask for a person',
    language: 'Language / Язык',
    web: 'Continue in the browser',
    mydata: 'Get my data',
    forget: 'Delete my data',
    help: 'How this works',
  },

  waysIn: {
    ai: `Hello! This bot runs interviews with an AI interviewer. ${WAYS_IN}`,
    script: `Hello! This bot runs interviews: a script asks the questions. ${WAYS_IN}`,
  },
  waysToAnother:
    'If you have another invitation, open its link or enter its PIN. You can also search for another job by title.',
  havePinButton: 'I have a PIN',
  findVacancyButton: 'Search for a job',
  askPin: 'Please send the PIN from your invitation: twelve digits, like 1234-5678-9012.',
  notAPin:
    'That does not look like a PIN: it has twelve digits, like 1234-5678-9012. Please send it again.',
  pinWrong: 'There is no open invitation with this PIN. Please check the digits and send it again.',
  pinLocked: (minutes) =>
    `Too many wrong PINs. Please try again in ${timeOf(minutes)}, or open the link in your invitation.`,
  pinsPaused: (minutes) =>
    `PINs are not accepted right now. Please open the link in your invitation, or try again in ${String(minutes)} min.`,
  askVacancy: 'Please write the job title or the company; a word or two will do.',
  noVacancy: 'Nothing matches these words. Please try others.',
  chooseVacancy: 'Here is what was found. Choose a job:',
  vacanciesAtFirst:
    'These jobs match what you wrote. Choose one to begin its interview. If you have been invited, open the link in your invitation or enter its PIN instead.',
  noVacancyAtFirst:
    'No job matches these words. Please write the title of the job or the company. If you have been invited, open the link in your invitation or enter its PIN.',
  noInterview:
    'You are not in an interview yet: open the link in your invitation, or write the title of the job.',
  linkUnknown: 'This link does not work. Please ask for a new invitation.',
  linkExpired: 'This invitation has expired. Please ask for a new one.',
  vacancyClosed: (title) =>
    `This job is closed, so its interview can no longer be started: ${title}. Your other interviews are not affected.`,
  linkTaken:
    'This invitation has been opened by another account. If that was not you, please ask for a new one.',
  linkOver:
    'This link does not work any more: it works once, within a day. You can get a new one where your interview is open.',

  openElsewhere:
    'This interview is already open in another place: in a browser, or in another account. Please go on only if you opened it there yourself. Whoever did so reads everything that is written in it, and will see your name and your user name.\n\nIf somebody else sent you this, press “No, this is not mine”: then nothing about you is added to the interview.',
  mineButton: 'Yes, this is mine, and I agree',
  notMineButton: 'No, this is not mine',
  notMine: 'Alright. Nothing about you was added to that interview.',
  joinQuestion: ({ invitedTo, titles }) =>
    `This is an invitation to an interview: ${invitedTo}.\n\nYou have begun an interview without an invitation before: ${titles.join('; ')}. Is it yours, and should it be joined to this invitation? If so, the hiring team sees all of it as one candidate’s, and it is closed in every browser in which it is open.`,
  joinButton: 'Yes, this is mine',
  notJoinButton: 'No, keep it apart',

  howToAnswer:
    'Once we have begun, answer in one message or in several, as you like: I wait until you have finished. If you do not want to wait, press “✅ Done”.',
  agreeButton: "I agree, let's start",
  declineButton: 'No',
  agreed: 'Thank you, your consent is noted.',
  declined:
    "Alright. There is no interview without consent, and nothing that you wrote here was kept. If you change your mind, press “I agree, let's start” above. If you would rather talk to a person, write /human.",
  declinedBefore:
    'You did not agree to the interview, so nothing that you write here is kept. To read about it again and begin, send /start; to ask for a person, send /human.',
  consentFirst:
    'Please read about the interview first and say whether you agree. Until then I keep nothing, so you will have to send your message again.',

  notOpenHere: ({ title, company, link }) =>
    `This is about your interview “${title}”, ${company}, which is not open in this chat now. To reply, open it first${link === null ? ' with the link in your invitation' : `: ${link}`}\nWhat you write here before that does not reach it.`,
  sentBefore:
    'You sent this message before this interview was opened here, so your edit was not added to it. If you want to say it here, send it as a new message.',

  consentGiven:
    'You have agreed already and the interview has begun, so this button does not end it. To take your consent back, write "I want to stop": the interview ends. /forget erases everything that you wrote.',
  welcomeBack: "Welcome back! Let's continue from here:",
  closed: 'This conversation is closed. If that is a mistake, please write to whoever invited you.',
  completed: 'The interview is complete. If you would like to add something, just write.',
  expired:
    'This interview has ended, because there was no answer for a long time. If you would like to go on, just write: the hiring team will see it.',
  help: ({ voices, interviewer }) =>
    [
      `${interviewer === 'ai' ? 'This is an interview with an AI interviewer.' : 'This is an interview in which a script asks the questions, not an AI.'} The hiring team reads your answers, and a person decides.`,
      `Answer ${voices ? 'in text or by voice' : 'in text'}, in several messages if you like: I reply when you have finished. PDF and DOCX documents and pictures go to the hiring team. A message that has no reply yet can be edited.`,
      '/done — my answer is complete\n/skip — skip this question\n/status — where we are\n/pause and /resume — take a break, go on\n/human — ask for a person\n/language — language\n/web — continue in the browser\n/mydata — get my data\n/forget — delete my data',
    ].join('\n\n'),
  unknownCommand:
    'I do not know this command; /help lists all commands. If it was meant as an answer, please send it with a word or two around it.',
  editedToCommand:
    'A command works only as a message of its own, not as an edit. Your message stays as it was.',
  status: ({ question, of, isCollecting, isReplying, isPaused }) => {
    const where = `Question ${String(question)} of ${String(of)}.`;
    if (isReplying) return `${where} I have your answer and am replying.`;
    if (isPaused)
      return `${where} You are taking a break; to go on, send /resume or simply answer.`;
    if (isCollecting) return `${where} I am waiting in case you want to add something.`;
    return `${where} I am waiting for your answer.`;
  },
  notStarted: 'The interview has not begun yet: your consent comes first.',
  nothingToFinish: 'There is nothing to finish yet: the last question has no answer so far.',
  skipTooEarly:
    'I am still replying to your last message. Once you see the question, send /skip again to skip it.',
  paused:
    'Paused. Everything you wrote is kept. When you are ready, send /resume or simply answer the question.',
  resumed: "Let's go on. The last question:",
  chooseLanguage: "Which language should I use? The job's own questions stay in their language.",
  languageChosen: 'Alright, English from now on.',
  continueOnWeb: (url) =>
    `The same interview in the browser:\n${url}\n\nThe link works once, within a day. You can come back here at any time: just write.`,
  humanQuestion:
    'Should I ask someone from the hiring team? They will write to you here, and the interview pauses until then. Everything you wrote is kept.',
  humanYes: 'Ask for a person',
  humanNo: 'No, go on',
  humanNotAsked: 'Alright, the interview goes on.',
  humanTakeBack: 'Go on with the interview',
  humanAlready: 'A person from the hiring team already has this conversation.',
  notKeptForPerson:
    'This conversation is with the hiring team. You have not agreed to the interview, so what you write here is not kept, and they do not see it. If a person has written to you, please reply to them by email or in another way that they named.',

  myDataQuestion:
    'Should I send a file with everything that is stored about you here? It comes to this chat, where everybody with access to your Telegram can see it.',
  myDataButton: 'Yes, send it',
  myDataCaption: 'Everything that is stored about you.',
  forgetQuestion:
    'Delete everything that is stored about you here: your answers, voice messages, files, results and the access to your interview? This cannot be undone, and the interview ends.',
  forgetButton: 'Yes, delete all of it',
  keepButton: 'No, keep it',
  forgotten:
    'Your data has been deleted: nothing that names you or quotes you is kept here. You can delete the messages of this chat in Telegram itself.',
  forgottenHere:
    'What was stored about this account has been deleted. Your invitation was issued again, and what you wrote before that stays in the interview: open the new invitation to delete it, or ask the team.',
  kept: 'Alright, everything stays as it was.',

  corrected: 'Corrected, thank you.',
  attachment: {
    photo: '[photo]',
    video: '[video]',
    video_note: '[video message]',
    animation: '[animation]',
    audio: '[audio]',
    document: '[file]',
    sticker: '[sticker]',
    contact: '[contact]',
    location: '[location]',
    venue: '[place]',
    poll: '[poll]',
    checklist: '[checklist]',
    dice: '[dice]',
    story: '[story]',
    game: '[game]',
    other: '[a message that cannot be shown]',
  },
  attachmentKept:
    'The hiring team will see that you sent this; I cannot look at it myself. If it matters for your answer, please put it into words.',
  photoFile: 'photo.jpg',
  fileTaken:
    'Got it: the hiring team will see your file. I cannot open it myself, so if something in it matters for your answer, please put it into words.',
  full: 'This message was not saved: your interview has no more room for text. Everything you sent before is kept, and the hiring team will see that there was no room.',
  audioFull:
    'This voice message was not saved: your interview has no more room for recordings. Everything you sent before is kept. Please write your answer instead.',
  openLinkFull:
    'Too many interviews were begun by this link today, so it takes no new ones for now. Please open it again later. Interviews that have begun go on.',
  uploadsFull:
    'This file or recording was not saved: too much was sent through this link just now. Please answer as text, or send it again later. Your interview goes on, and everything you sent before is kept.',
  filesFull:
    'This file was not saved: your interview has no more room for files. Everything you sent before is kept, and the hiring team will see that there was no room.',
  blank: 'This message looks empty. Please send your answer as text.',
  pressOutdated: 'This button does not work any more.',
};

/** A long lock in hours: "960 min" is hard to read. */
function timeOf(minutes: number): string {
  return minutes < 60 ? `${String(minutes)} min` : `${String(Math.ceil(minutes / 60))} h`;
}
