export type { NewFile } from './file';
export { FileArchive, FileArchiveModule, type KeptFile } from './file-archive';
export { FileIntake } from './file-intake';
export { sizeInWords } from './file-name';
export { FILE_ENDINGS } from './file-type';
export { FileWorker } from './file-worker';
