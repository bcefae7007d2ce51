import { inOneLine } from './sentences';
import type { KeptDays, Texts } from './texts';

export const ENGLISH: Texts = {
  acknowledgements: ['Thank you.', 'Alright, thanks.', 'Thanks.', 'Okay, thank you.'],
  pushBacks: [
    'Could you tell me a little more? One concrete example would be best.',
    'Could you go into a bit more detail? An example from your own work would help.',
  ],
  noSource:
    "I don't know, and I would rather not guess. I am passing your question on to the team.",
  noSourceToo:
    "As for your question, I don't know and would rather not guess: I am passing it on to the team.",
  quoted: (title, words) => `The company's documents say this under “${title}”: “${words}”`,
  adjustmentNoted:
    'Thank you for telling me. I have passed this on, and a person from the hiring team will write to you here. We can wait for that or go on meanwhile, whichever suits you better.',
  hardship: {
    loss: 'I am so sorry for your loss. Take all the time you need: everything is kept, and you can also go on another day.',
    illness:
      'I am sorry to hear that, and I hope you feel better soon. There is no hurry: everything is kept, and you can also go on another day.',
  },
  isProgram: (isPersonAsked) =>
    `${isPersonAsked ? 'No' : 'Yes'}, I am a program. People on the hiring team read your answers; to talk to one of them, write "a person".`,
  touchedOn: [
    'You have already mentioned some of this, so just add what is missing:',
    'Some of this came up before, so feel free to be brief:',
  ],
  boundary:
    "Let's keep this respectful, please. If something upset you, you can tell me, or ask for a person.",
  pausedForAbuse: ({ hasAnswers }) =>
    inOneLine(
      'I am pausing the interview here. A person from the hiring team will read this conversation and write to you.',
      hasAnswers && 'Your answers are kept.',
    ),
  objectionNoted:
    'I have recorded your objection. Your answers will not be scored automatically; a person from the hiring team will read them. You are welcome to go on here, or to write "a person" if you would rather talk to someone.',
  questionsStayAsWritten:
    'You are welcome to answer in English, but I only have this question in Russian.',
  yourQuestions:
    'And if you would like to know anything about the job or the company, just ask here, now or later.',
  goodbyes: ['Thank you, and goodbye. All the best!', 'Goodbye, and all the best!'],
  askedAfterEnd: 'I do not know that. I have passed your question on to the team.',
  askedWhenAfterEnd: 'This is what I can say about that; the team will see your question as well.',
  readers: (owner, company) =>
    `Your answers are read by the hiring team of ${company}; ${owner} is responsible for this vacancy. People decide, not a program.`,
  rated:
    'After the interview, an AI rates your answers against the criteria for this job, to help the team. Write "I object" if you do not want that.',
  progress: (question, of) => `This is question ${question} of ${of}.`,
  minutesLeft: (left, planned) => `About ${left} of the planned ${planned} minutes are left.`,
  progressAsked: ({ question, of, minutes }, isRight) => {
    const reply = isRight === null ? 'This is' : isRight ? 'Yes, this is' : 'No, this is';
    return `${reply} question ${question} of ${of}, with about ${minutes} ${minutes === 1 ? 'minute' : 'minutes'} to go.`;
  },
  declined: [
    'That is fine, we can skip this one.',
    'I understand, we do not have to go into that.',
  ],
  offTopic: "Let's come back to the interview.",
  questionAgain: 'Of course, here is the question again.',
  movingOn: ["Alright, let's move on.", "Let's leave this question and move on."],
  backToQuestion: [
    'Now, back to the question.',
    "Let's come back to the question.",
    'So, the question once more.',
  ],
  questionAbove: [
    'So, back to my question.',
    'And what would you say to my question?',
    "Let's go back to my question.",
    'And now to my question, whenever you are ready.',
  ],
  onceMore: [
    'Before we finish, I would like to come back to a question that is still open.',
    'One question was left open earlier, so I am asking it once more.',
  ],
  asides: {
    greeting: [
      'Hello! Answer whenever you are ready.',
      'Hello, good to have you here.',
      'Hi! Take your time with the question.',
    ],
    thanks: ['You are welcome.', 'Of course.', 'Any time.'],
    wait: [
      'Of course, take your time.',
      'Sure, there is no hurry.',
      'Take the time you need, the question can wait.',
    ],
    apology: ['No problem at all.', 'That is quite all right.', 'No need to apologise.'],
    other: ['Alright.', 'Sure.', 'Of course.'],
  },
  confirmLeave: ({ hasAnswers }) =>
    `Would you like to end the interview? If so, write "yes" and we will stop${hasAnswers ? '; the answers you have already given are kept' : ''}. If not, simply answer the question above.`,
  orLater: (until, { hasAnswers }) =>
    `If you only need a break, write "later": ${hasAnswers ? 'everything is kept, and ' : ''}you can go on here until ${until}.`,
  paused: ({ until, when, hasAnswers }) =>
    inOneLine(
      when === null ? 'Of course.' : `Sure, ${when} is fine.`,
      hasAnswers && 'Everything you wrote is kept.',
      until !== null && `The same link works until ${until}.`,
      'Write here whenever you like, and we will go on from where we are.',
    ),
  confirmHuman:
    'Of course. The interview would then pause until somebody from the hiring team writes to you here; is that all right? Write "yes", or simply answer the question above.',
  keepGoing: "Alright, let's go on.",
  withdrawn: ({ hasAnswers }) =>
    inOneLine(
      'Alright, we will stop here. Thank you for your time.',
      hasAnswers && 'The answers you have already given are kept.',
    ),
  handedOver:
    'I am passing this conversation to a person from the hiring team. Everything you wrote is kept; you do not need to repeat anything.',
  handedOverWithoutConsent:
    'I am letting a person from the hiring team know that you would like to talk to them. There is nothing else that you need to do here.',
  goingOn: "Let's go on with the interview.",
  fromPerson: 'A person from the hiring team writes:',
  addendum: ['Thank you, I have added this to your answer.', 'Thanks for the addition.'],
  corrected: [
    'Thank you, I have noted the correction.',
    'Thanks for the correction; your new wording counts.',
  ],
  thanksForAddition: [
    'Thank you, this has been added to your interview.',
    'Thanks for the addition; the team will see it.',
  ],
  keptForPerson: 'Your message is kept for the person from the hiring team.',
  closed: 'This conversation is already closed. Your message has been kept.',
  afterWithdrawal: ({ company, owner, kept, isStored }) =>
    [
      `This interview has ended, because you withdrew. No AI model reads what you write here now${isStored ? '; it is kept for the hiring team, together with your answers' : ', and it is not stored'}.`,
      `To reach a person, write to whoever sent you the link; at ${company}, ${owner} is responsible for this vacancy.`,
      `${keptInWords(kept)} You can have everything deleted at any time.`,
    ].join('\n\n'),
  consentFirst:
    'Your message is kept. The interview begins once you have read about it and agreed to it.',
  sorry: 'I am very sorry to hear that.',
  endedBySilence:
    'The interview has closed meanwhile, after a long time without an answer. Your message is kept, and the hiring team knows that you wrote: if the interview can go on, a person will write to you here.',
  reminder:
    'Hello again! Your interview is waiting where we left it, and everything you wrote is kept. Whenever you have a few minutes, simply answer here. This was the question:',
  reminderAgain:
    'Just a short reminder: you can go on with the interview whenever it suits you. This was the question:',
  lastReminder: (until) =>
    `This is the last reminder: the interview stays open until the end of ${until}. If you would rather not go on, you do not need to do anything. This was the question:`,
  readingAlong: "Take your time, I'm reading along.",
  outage:
    'Your answer is saved. The interviewer is temporarily unavailable and will reply here. You do not need to send anything again.',
  leftToPerson:
    'Your answer is kept, but it could not be replied to automatically. A person from the hiring team will look at it. You are welcome to go on writing.',
  notAnalysed:
    "Your answer is kept in full. It could not be analysed automatically, so a person will read it; meanwhile, let's go on.",
  heard: [
    'Here is what I heard: “',
    '”\n\nIf something is wrong, reply to this message with the correct wording.',
  ],
  heardInPart:
    'Your voice message was long: its beginning counts as your answer, and the whole of it is kept for the hiring team. If something important came at the end, please write it here.',
  unheardVoice: '[voice message without a transcript]',
  voiceNotHeard:
    'Your voice message is kept for the hiring team, but I could not make it out. Please write your answer in a message.',
  voiceWaits:
    'Your voice message is kept, but I cannot listen to it right now. I will as soon as that is possible; if you would rather not wait, write your answer in a message.',
  voiceNotTaken:
    'I cannot listen to voice messages in this interview. Your recording is kept for the hiring team; please write your answer in a message.',
  voiceTooLarge:
    'Your voice message is too large for me to receive. Please send a shorter one, or write your answer in a message.',
  voiceLost: 'I could not receive your voice message. Please write your answer in a message.',
  file: 'file',
  fileTooLarge: (name, limit) =>
    `“${name}” was not saved: a file can be at most ${limit}. Please send a smaller one.`,
  fileOfOtherType: (name) =>
    `“${name}” was not saved: I can take PDF and DOCX documents and pictures. Please send it as one of these, or write what matters in a message.`,
  fileOfOtherWord: (name) =>
    `“${name}” was not saved: it is a Word document with macros or a password, a template, or from an old version of Word. Please save it as an ordinary DOCX without a password, or as a PDF, and send that.`,
  fileLocked: (name) =>
    `“${name}” is saved, but it needs a password, so the hiring team cannot open it. Please send a copy without a password.`,
  fileLost: (name) => `I could not receive “${name}”. Please send it again.`,
};

function keptInWords({ answers, media }: KeptDays): string {
  const until =
    answers === null
      ? 'until somebody deletes them'
      : `for ${inDays(answers)} after the last message`;
  const less =
    media === answers || media === null ? '' : `, recordings and files for ${inDays(media)}`;
  return `Your answers are kept ${until}${less}.`;
}

function inDays(days: number): string {
  return `${String(days)} ${days === 1 ? 'day' : 'days'}`;
}
