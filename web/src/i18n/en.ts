import type { Dictionary } from './dictionary';

const NUMBERS = new Intl.NumberFormat('en');

function counted(count: number, noun: string): string {
  return `${NUMBERS.format(count)} ${noun}${count === 1 ? '' : 's'}`;
}

export const en: Dictionary = {
  documentTitle: (company, vacancy) => `${vacancy} · ${company}`,
  loading: 'Opening the interview…',
  skipToAnswer: 'Skip to your answer',
  language: { label: 'Language', other: 'ru', switchTo: 'Русский' },
  menu: 'More',
  close: 'Close',

  madeWith: 'Interview by Colloquy',
  preview: {
    title: 'This is a preview.',
    text: 'It is counted nowhere, nobody is asked to help in it, and it is deleted after a day.',
  },

  welcome: {
    kicker: (company) => `${company} invites you to an interview`,
    lead: (questions, minutes) =>
      `${counted(questions, 'question')}, about ${counted(minutes, 'minute')}, at your own pace`,
    asks: {
      ai: {
        title: 'An AI asks, people decide',
        text: 'The questions come from an AI interviewer. Your answers are read by the hiring team.',
      },
      script: {
        title: 'A script asks, people decide',
        text: 'The questions come from a program, not from an AI. Your answers are read by the hiring team.',
      },
    },
    points: [
      {
        title: 'Write naturally',
        text: 'One long message or five short ones: the reply comes when you pause.',
      },
      {
        title: 'Leave and come back',
        text: 'Your link keeps your place. You can ask for a person at any time.',
      },
    ],
    begin: 'Begin',
    opening: 'Opening…',
    failed: 'We couldn’t reach the server. Please try again.',
  },
  claim: {
    title: 'Is this your interview?',
    lead: 'It’s already open somewhere else: in another browser or in a messenger. Continue only if you opened it there yourself, because whoever did can read everything written in it.',
    other:
      'If someone else sent you this link, choose “No, it isn’t mine”. Nothing about you will be added to it.',
    once: 'You’ll continue here from where you stopped. The link works only once, so open it in the browser you want to use.',
    mine: 'Yes, it’s mine, and I agree',
    notMineButton: 'No, it isn’t mine',
    notMine: {
      title: 'All right',
      text: 'Nothing about you was added to that interview. You can close this page.',
    },
  },
  continuation: {
    used: {
      title: 'This link has already been used',
      text: 'The conversation is open in another browser. To continue here, ask for a new link in the chat you came from.',
    },
    expired: {
      title: 'This link has expired',
      text: 'These links work for a day. Ask for a new one in the chat you came from. Your conversation is still there.',
    },
  },
  consent: {
    title: 'Before we begin',
    agree: 'I agree',
    refuse: 'I don’t agree',
    failed: 'Your choice did not reach us. Please try again.',
    outdated: 'This text has just changed. Please read it again.',
  },
  profile: {
    titleName: 'What’s your name?',
    titleContact: 'How can the team reach you?',
    lead: 'The hiring team needs this to get back to you.',
    unusual: 'This doesn’t look like an email, a phone number or a @name. Is this right?',
    confirm: 'Yes, this is right',
    name: 'Your name',
    contact: 'Email, phone or Telegram',
    contactHint: 'Any one of them is enough.',
    missing: { name: 'Please enter your name.', contact: 'Please enter one way to reach you.' },
    start: 'Start the interview',
    failed: 'We couldn’t reach the server. Please try again.',
  },
  declined: {
    title: 'You chose not to take part',
    text: 'That’s all right. Nothing about you was passed to an AI. If you change your mind, this page will be here.',
    reconsider: 'I’ve changed my mind',
  },
  expired: {
    title: 'This link has expired',
    text: (company) =>
      company === null
        ? 'Please ask for a new one where you got this one.'
        : `Please ask ${company} for a new one.`,
  },
  closed: {
    title: 'This vacancy is closed',
    text: (company) =>
      `New interviews can no longer be started. If you have a question, please contact ${company ?? 'the company'}.`,
  },
  full: {
    title: 'Too many interviews at once',
    text: 'So many people have opened this link that it takes no new interviews for now. Please open it again later: nothing was lost. Interviews that have begun go on.',
  },
  unknown: {
    title: 'This link doesn’t work',
    text: 'Part of it may have been lost in copying. Try opening it again from the message it came in.',
  },
  unreachable: {
    title: 'No connection right now',
    text: 'We couldn’t open the interview. Nothing is lost: check your connection and try again.',
    retry: 'Try again',
  },
  sessionLost: {
    title: 'This page is out of date',
    text: 'Your session here has ended: another interview was opened in this browser, you signed out, your link was replaced, or too much time has passed. Open the interview again to continue. Unsent messages are kept.',
    reopen: 'Open again',
  },

  progress: (question, of) => `Question ${String(question)} of ${String(of)}`,
  progressDone: (answered, of) => `All done · ${String(answered)} of ${String(of)}`,
  panel: {
    label: 'Your interview',
    asked: 'Questions so far',
    unanswered: 'without an answer',
    next: 'What happens next',
    left: (questions) => `${counted(questions, 'more question')}, at your own pace`,
    reads: (name) => `${name} will read your answers`,
    repliesWithin: (name, days) => `${name} will reply within ${counted(days, 'business day')}`,
    repliesBy: (name, day) => `${name} will reply by ${day}`,
    replies: (name) => `${name} will get back to you`,
    comeBack: 'You can leave at any time: your link keeps your place.',
  },
  transcript: 'Conversation',
  interviewer: { ai: 'AI interviewer', script: 'Interviewer (a script)' },
  person: 'A person from the hiring team',
  you: 'You',
  system: 'Note',
  thinking: 'The interviewer is reading your answer',
  stopped: 'Stopped here',
  toLatest: 'To the latest message',
  currentQuestion: 'Current question',
  older: {
    show: 'Show earlier messages',
    loading: 'Loading earlier messages…',
    failed: 'That did not work. Please try again.',
  },

  composer: {
    label: 'Your answer',
    placeholder: 'Write your answer',
    placeholderMore: 'Add something',
    placeholderPerson: 'Write to the team',
    send: 'Send',
    hintKeys: 'Enter sends, Shift + Enter starts a new line.',
    hintTouch: 'You can answer in several messages.',
    listening: 'Keep writing. I’ll reply when you pause.',
    done: 'That’s my answer',
    skip: 'Skip this question',
    skipped: 'Skip this question, please.',
    taking: 'Taking your answer…',
    searching: 'Looking it up in the company’s documents…',
    away: 'Waiting for the interviewer. You can keep writing.',
    writing: 'Writing a reply. You can keep writing.',
    stop: 'Stop',
    stopped: 'You stopped the reply. The question is still open.',
    continue: 'Continue',
    tooLong: (excess) =>
      `Too long by ${counted(excess, 'character')}. Please send it in two parts.`,
    left: (count) => `${counted(count, 'character')} left`,
    tooLongByUpTo: (excess) =>
      `Your text is too long by up to ${counted(excess, 'character')}. Please send it in two parts.`,
    fewerLeft: (count) => `Fewer than ${counted(count, 'character')} left`,
  },
  voice: {
    record: 'Record a voice message',
    group: 'Voice message',
    asking: 'Please allow the microphone…',
    recording: 'Recording',
    stopped: {
      full: 'Ten minutes is the limit. Ready to send.',
      disconnected: 'The microphone was disconnected. What was recorded until then is kept.',
    },
    sending: 'Sending…',
    unsent: 'Not sent yet. Your recording is kept.',
    send: 'Send voice message',
    retry: 'Send again',
    cancel: 'Cancel recording',
    discard: 'Discard recording',
    transcribing: 'Listening to your message…',
    heard: 'What I heard',
    correct: 'Correct',
    correctLabel: 'What you said',
    save: 'Save',
    keep: 'Keep it as it is',
    problems: {
      denied:
        'The browser does not allow the microphone. Allow it in the address bar, or write your answer.',
      no_device: 'No microphone found. Connect one, or write your answer.',
      broken: 'The microphone did not start. Try again, or write your answer.',
      empty: 'Nothing was recorded. Try again, or write your answer.',
      too_large: 'This recording is too large. Please send a shorter one.',
      full: 'There is no room for more recordings in this interview. Please write instead.',
      later:
        'Too many recordings are being sent through this link now. Please write instead, or record it later.',
      refused: 'This recording could not be accepted. Please write instead.',
    },
  },
  unknownMessage: 'This message cannot be shown here.',
  files: {
    attach: 'Attach a file: PDF, DOCX or a picture',
    list: 'Files on their way',
    waiting: 'Waiting to be sent',
    sending: (percent) => `Sending… ${String(percent)}%`,
    unsent: 'Not sent yet. Keep this page open.',
    retry: 'Send again',
    remove: (name) => `Remove ${name}`,
    download: (name) => `Download ${name}`,
    arriving: 'on its way',
    notKept: 'not saved',
    locked: 'needs a password: please send a copy without one',
    deleted: 'deleted after its storage time',
    problems: {
      too_large: (limit) => `Not sent: a file can be at most ${limit}.`,
      type: () => 'Not sent: only PDF and DOCX documents and pictures are accepted.',
      word_format: () =>
        'Not sent: this Word document has macros or a password, is a template or from an old version of Word. Save it as an ordinary DOCX or PDF.',
      empty: () => 'Not sent: this file is empty.',
      full: () =>
        'Not sent: there is no room for more files in this interview. Everything you sent before is kept.',
      closed: () => 'Not sent: the interview is closed.',
      later: () =>
        'Not sent: too many files are being sent through this link now. Please send it again later; your interview goes on.',
      refused: () => 'This file could not be accepted.',
    },
  },
  delivery: {
    sending: 'Sending…',
    sent: 'Sent',
    waiting: 'Not sent yet',
    retry: 'Send now',
    refused: (code) => {
      switch (code) {
        case 'conversation_closed':
          return 'Not sent: the interview is closed.';
        case 'conversation_full':
          return 'Not sent: there is no room for a message this long in this interview. Everything you sent before is kept; if something is missing, you can ask for a person above.';
        default:
          return 'This message could not be accepted.';
      }
    },
    edit: 'Edit',
    remove: 'Remove',
  },
  connection: {
    lost: 'Connection lost. Reconnecting… What you write is kept.',
    retry: 'Try now',
  },

  human: {
    open: 'Ask for a person',
    title: 'Ask for a person?',
    text: (company) =>
      `The interview pauses, and someone from ${company} will write to you here. That may take a while. Until they do, you can continue the interview.`,
    confirm: 'Ask for a person',
  },
  withdraw: {
    open: 'Withdraw from the interview',
    title: 'Withdraw from the interview?',
    text: 'There will be no more questions, and you won’t be able to resume. What you’ve written so far stays in the transcript. If you only need a break, close this page instead: everything is kept, and the same link brings you back.',
    confirm: 'Withdraw',
  },
  telegram: {
    open: 'Continue in Telegram',
    title: 'Continue in Telegram?',
    text: 'The same conversation opens there, from the same place. The link works once, within a day, and you can always come back to this page.',
    confirm: 'Open Telegram',
    cancel: 'Stay here',
  },
  myData: {
    fileName: 'my-data.json',
    open: 'Download my data',
    title: 'Download your data?',
    text: 'You get one file with everything that is stored about you: your profile, your interviews word for word, and what the software noted about them.',
    confirm: 'Download',
  },
  leave: {
    open: 'Sign out on this device',
    title: 'Sign out on this device?',
    text: {
      personal:
        'Your interview stays. Only this browser forgets it, along with anything you haven’t sent. To come back, open the link from your invitation.',
      open: 'Your interview stays with the company, but you won’t be able to open it again: the link you came by starts a new one. Anything you haven’t sent is deleted.',
      continuation:
        'Your interview stays. Only this browser forgets it, along with anything you haven’t sent. To come back, ask for a new link in the chat you came from.',
    },
    confirm: 'Sign out',
  },
  erase: {
    open: 'Delete my data',
    title: 'Delete all your data?',
    text: (company) =>
      `Your profile and all your interviews here are deleted at once: every message, every reply, every note. The interview ends, and ${company} will no longer have your answers here. All that’s kept is a record that data was deleted, without your name. This cannot be undone.`,
    confirm: 'Delete everything',
  },
  keepGoing: 'Keep going',
  cancel: 'Cancel',
  actionFailed: 'That didn’t work. Please try again.',

  askedForPerson: {
    title: 'A person will write to you here',
    paused: 'The interview is paused.',
    text: (company) =>
      `Someone from ${company} will read the conversation, and anything you add to it.`,
  },
  withPerson: {
    title: 'You are talking to a person',
    text: 'The interviewer no longer replies. The hiring team reads what you write.',
  },
  personTypes: 'A person from the hiring team is typing…',
  resume: 'Continue the interview',
  completed: {
    title: (name, from, day) =>
      [
        name === null ? 'You’re all done.' : `You’re all done, ${name}.`,
        day === null
          ? `${from ?? 'The hiring team'} will get back to you.`
          : `${from ?? 'The hiring team'} will reply by ${day}.`,
      ].join(' '),
    download: 'Download my answers',
    fileName: 'my-answers.txt',
    add: 'Add something',
  },
  receipt: {
    title: 'Which of my words were picked out?',
    lead: 'The hiring team decides. When your answers were read automatically, these passages were picked out. If a voice message was misheard, correct it above; if something is missing, add it. Your answers are then read again.',
    reading: 'Your answers are being read. Look here again in a few minutes.',
    decided: 'The team has decided, so your answers are not read again.',
    none: 'No passage was picked out. A person reads your answers.',
  },
  withdrawn: {
    title: 'You have withdrawn',
    text: 'The interview is over, and there will be no more questions. Thank you for your time.',
  },
  endedBySilence: {
    title: 'This interview has ended',
    text: 'There was no answer for a long time. Your answers are kept. If you would like to go on, just write: the hiring team will see it.',
  },
  erased: {
    title: 'Your data has been deleted',
    text: 'Nothing that names you or quotes you is stored here any more. You can close this page.',
  },
  left: {
    title: 'You’re signed out on this device',
    text: {
      personal:
        'This browser no longer opens your interview. To come back, open the link from your invitation.',
      open: 'This browser no longer opens your interview. You can close this page.',
      continuation:
        'This browser no longer opens your interview. To come back, ask for a new link in the chat you came from.',
    },
  },
};
