import type { Dictionary } from './dictionary';

export const en: Dictionary = {
  documentTitle: (company, vacancy) => `${vacancy} · ${company}`,
  loading: 'Opening the interview…',
  skipToAnswer: 'Skip to your answer',
  language: { label: 'Language', other: 'ru', switchTo: 'Русский' },
  menu: 'More',
  close: 'Close',

  welcome: {
    kicker: (company) => `${company} invites you to an interview`,
    lead: 'A conversation in writing, at your own pace.',
    points: [
      {
        title: 'An AI asks, people decide',
        text: 'The questions come from an AI interviewer. Your answers are read by the hiring team.',
      },
      {
        title: 'Write the way you write',
        text: 'One long message or five short ones: the reply comes when you pause.',
      },
      {
        title: 'Leave and come back',
        text: 'The link keeps your place. You can ask for a person at any moment.',
      },
    ],
    begin: 'Begin',
    opening: 'Opening…',
    failed: 'That did not get through. Please try again.',
  },
  claim: {
    title: 'Is this your interview?',
    lead: 'It is already open in another place: in another browser, or in a messenger. Please go on only if you opened it there yourself. Whoever did so reads everything that is written in it.',
    other:
      'If somebody else sent you this link, choose “No, this is not mine”: then nothing about you gets there.',
    once: 'The conversation goes on here from where it stopped. The link works once: open it in the browser you want to use.',
    mine: 'Yes, this is mine, and I agree',
    notMineButton: 'No, this is not mine',
    notMine: {
      title: 'Alright',
      text: 'Nothing connects you with that interview. You can close this page.',
    },
  },
  continuation: {
    used: {
      title: 'This link has already been used',
      text: 'The conversation is open in another browser. To go on here, ask for a new link in the chat that you came from.',
    },
    expired: {
      title: 'This link has expired',
      text: 'It works for a day. Ask for a new one in the chat that you came from: the conversation is still there.',
    },
  },
  consent: {
    title: 'Before we begin',
    agree: 'I agree, let’s begin',
    refuse: 'I don’t agree',
    failed: 'Your choice did not reach us. Please try again.',
    outdated: 'This text has just changed. Please read it once more.',
  },
  profile: {
    titleName: 'Nice to meet you',
    titleContact: 'One last thing',
    lead: 'The hiring team needs this to get back to you.',
    name: 'Your name',
    contact: 'Email, phone or Telegram',
    contactHint: 'Any one of them is enough.',
    missing: { name: 'Please write your name.', contact: 'Please leave one way to reach you.' },
    start: 'To the first question',
    failed: 'That did not get through. Please try again.',
  },
  declined: {
    title: 'You chose not to take part',
    text: 'That’s all right. Nothing about you was passed to the AI. If you change your mind, this page will be here.',
    reconsider: 'I’ve changed my mind',
  },
  expired: {
    title: 'This link has expired',
    text: (company) =>
      company === null
        ? 'Please ask for a new one where you got this one.'
        : `Please ask ${company} for a new one.`,
  },
  unknown: {
    title: 'We don’t know this link',
    text: 'Perhaps a part of it was lost in copying. Try opening it again from the message it came in.',
  },
  unreachable: {
    title: 'No connection right now',
    text: 'The interview could not be opened. Nothing is lost: check your network and try again.',
    retry: 'Try again',
  },
  sessionLost: {
    title: 'This page is out of date',
    text: 'Your session here has ended: another interview was opened in this browser, you left it, your link was replaced, or too much time has passed. Open this one again to continue. Unsent messages are kept.',
    reopen: 'Open again',
  },

  progress: (question, of) => `Question ${String(question)} of ${String(of)}`,
  progressDone: (of) => `All ${String(of)} questions`,
  transcript: 'Conversation',
  interviewer: 'AI interviewer',
  person: 'From a person of the hiring team',
  you: 'You',
  system: 'Note',
  thinking: 'The interviewer is reading your answer',
  stopped: 'Stopped here',
  toLatest: 'To the latest message',
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
    hintTouch: 'Answer in as many messages as you like.',
    listening: 'You can keep writing; I answer when you pause.',
    finishing: 'Taking your answer…',
    done: 'Done',
    searching: 'Looking it up in the company’s documents…',
    writing: 'Writing a reply. You can keep writing, too.',
    stop: 'Stop',
    tooLong: (excess) => `Too long by ${excess} characters. Please send it in two parts.`,
    left: (count) => `${count} characters left`,
  },
  voice: {
    record: 'Record a voice message',
    group: 'Voice message',
    asking: 'Please allow the microphone…',
    recording: 'Recording',
    full: 'Ten minutes is the most. Ready to send.',
    sending: 'Sending…',
    unsent: 'Not sent yet. Your recording is kept.',
    send: 'Send voice message',
    retry: 'Send again',
    cancel: 'Cancel recording',
    discard: 'Discard recording',
    transcribing: 'Listening to your message…',
    heard: 'What I heard',
    correct: 'Correct',
    correctLabel: 'What you really said',
    save: 'Save',
    keep: 'Leave as it is',
    problems: {
      denied:
        'The browser keeps the microphone to itself. You can allow it in the address bar, or simply write.',
      no_device: 'No microphone was found. You can plug one in, or simply write.',
      broken: 'The microphone could not be started. Please try again, or simply write.',
      empty: 'Nothing was recorded. Please try again, or simply write.',
      too_large: 'This recording is too large. Please send a shorter one.',
      full: 'There is no room for more recordings in this interview. Please write instead.',
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
    problems: {
      too_large: (limit) => `Not sent: a file can be at most ${limit}.`,
      type: () => 'Not sent: only PDF and DOCX documents and pictures are accepted.',
      empty: () => 'Not sent: this file is empty.',
      full: () =>
        'Not sent: there is no room for more files in this interview. Everything you sent before is kept.',
      closed: () => 'Not sent: the interview is closed.',
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
    open: 'Talk to a person',
    title: 'Ask for a person?',
    text: (company) =>
      `The interview pauses, and someone from ${company} will write to you here. That may take a little while. Until they do, you can go on with the interview.`,
    confirm: 'Yes, a person please',
  },
  withdraw: {
    open: 'Withdraw from the interview',
    title: 'Withdraw from the interview?',
    text: 'No more questions will come, and the interview cannot be resumed. What you have written so far stays in the transcript.',
    confirm: 'Withdraw',
  },
  telegram: {
    open: 'Continue in Telegram',
    title: 'Continue in Telegram?',
    text: 'The same conversation opens there, from the same place. The link works once, within a day. You can come back to this page.',
    confirm: 'Open Telegram',
    cancel: 'Stay here',
  },
  myData: {
    open: 'Download my data',
    title: 'Download your data?',
    text: 'You get one file with everything that is stored about you: your profile, your interviews word for word, and what the program noted about them.',
    confirm: 'Download',
  },
  leave: {
    open: 'Leave this device',
    title: 'Leave this device?',
    text: {
      personal:
        'Your interview stays. Only this browser forgets it, with anything you have not sent. To come back, open the link from your invitation.',
      open: 'Your interview stays with the company, but you will not be able to open it again: the link on which you came starts a new one. Anything you have not sent is removed.',
      continuation:
        'Your interview stays. Only this browser forgets it, with anything you have not sent. To come back, ask for a new link in the chat you came from.',
    },
    confirm: 'Leave',
  },
  erase: {
    open: 'Delete my data',
    title: 'Delete all your data?',
    text: (company) =>
      `Your profile and all your interviews here are deleted at once: every message, every reply, every note. The interview ends, and ${company} will no longer have your answers here. Only the fact that data was deleted is kept, without your name. This cannot be undone.`,
    confirm: 'Delete everything',
  },
  keepGoing: 'Keep going',
  cancel: 'Cancel',
  actionFailed: 'That did not get through. Please try again.',

  askedForPerson: {
    title: 'A person will write to you here',
    paused: 'The interview is paused.',
    text: (company) =>
      `Someone from ${company} will read the conversation. Anything you add will be read by them, too.`,
  },
  withPerson: {
    title: 'You are talking to a person',
    text: 'The AI interviewer is silent here. What you write is read by the hiring team.',
  },
  resume: 'Go on with the interview',
  completed: {
    title: 'That was the last question',
    text: (company) =>
      `Thank you. ${company} will read your answers. If something comes to mind later, add it here.`,
  },
  withdrawn: {
    title: 'You have withdrawn',
    text: 'The interview is over and no more questions will come. Thank you for your time.',
  },
  erased: {
    title: 'Your data has been deleted',
    text: 'Nothing that names you or quotes you is stored here any more. You can close this page.',
  },
  left: {
    title: 'You have left this device',
    text: {
      personal:
        'This browser no longer opens your interview. To come back, open the link from your invitation.',
      open: 'This browser no longer opens your interview. You can close this page.',
      continuation:
        'This browser no longer opens your interview. To come back, ask for a new link in the chat you came from.',
    },
  },
};
