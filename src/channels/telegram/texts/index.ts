export { doneKeyboard, inlineKeyboard } from './keyboards';
export {
  type AttachmentKind,
  COMMANDS,
  type CommandName,
  isDoneButton,
  telegramTextsOf,
} from './texts';
