export { doneKeyboard, inlineKeyboard } from './keyboards';
export { type AttachmentKind, COMMANDS, isDoneButton, telegramTextsOf } from './texts';
