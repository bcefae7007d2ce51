export type { NewFile } from './file';
export { FileArchive, FileArchiveModule } from './file-archive';
export { FileService } from './file-intake';
export { FILE_ENDINGS } from './file-type';
export { FileWorker } from './file-worker';
