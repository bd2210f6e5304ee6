// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/**
 * Models of pictures, as `torchvision.models`.
 *
 * Names in state dicts are torchvision's, so weights that it published load by name.
 */
export { AlexNet, alexnet } from '../models/alexnet.js';
export {
  ConvNeXt, convnextBase, convnextLarge, convnextSmall, convnextTiny,
} from '../models/convnext.js';
export {
  DenseNet, densenet121, densenet161, densenet169, densenet201,
} from '../models/densenet.js';
export {
  EfficientNet, efficientnetB0, efficientnetB1, efficientnetB2, efficientnetB3,
  efficientnetB4, efficientnetB5, efficientnetB6, efficientnetB7, efficientnetV2L,
  efficientnetV2M, efficientnetV2S,
} from '../models/efficientnet.js';
export { GoogLeNet, googlenet } from '../models/googlenet.js';
export { Inception3, inceptionV3 } from '../models/inception.js';
export { MNASNet, mnasnet0_5, mnasnet0_75, mnasnet1_0, mnasnet1_3 } from '../models/mnasnet.js';
export { MobileNetV2, mobilenetV2 } from '../models/mobilenetv2.js';
export {
  MobileNetV3, mobilenetV3Large, mobilenetV3Small, type MobileNetV3Size,
} from '../models/mobilenetv3.js';
export {
  RegNet, regnetX16gf, regnetX1_6gf, regnetX32gf, regnetX3_2gf, regnetX400mf, regnetX800mf,
  regnetX8gf, regnetY128gf, regnetY16gf, regnetY1_6gf, regnetY32gf, regnetY3_2gf,
  regnetY400mf, regnetY800mf, regnetY8gf,
} from '../models/regnet.js';
export {
  ResNet, resnet101, resnet152, resnet18, resnet34, resnet50, resnext101_32x8d,
  resnext101_64x4d, resnext50_32x4d, wideResnet101_2, wideResnet50_2, type ResNetBlock,
} from '../models/resnet.js';
export {
  ShuffleNetV2, shufflenetV2X0_5, shufflenetV2X1_0, shufflenetV2X1_5, shufflenetV2X2_0,
} from '../models/shufflenetv2.js';
export { SqueezeNet, squeezenet1_0, squeezenet1_1 } from '../models/squeezenet.js';
export {
  SwinTransformer, swinB, swinS, swinT, swinV2B, swinV2S, swinV2T,
} from '../models/swin-transformer.js';
export {
  VGG, vgg11, vgg11Bn, vgg13, vgg13Bn, vgg16, vgg16Bn, vgg19, vgg19Bn,
} from '../models/vgg.js';
export {
  VisionTransformer, vitB16, vitB32, vitH14, vitL16, vitL32,
} from '../models/vision-transformer.js';
