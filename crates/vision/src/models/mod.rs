//! Models of pictures, as `torchvision.models`.
//!
//! Names in state dicts are torchvision's, so weights that it published load by name.

mod alexnet;
mod blocks;
mod convnext;
mod densenet;
mod efficientnet;
mod googlenet;
mod inception;
mod mnasnet;
mod mobilenetv2;
mod mobilenetv3;
mod regnet;
mod resnet;
mod shufflenetv2;
mod squeezenet;
mod swin_transformer;
mod vgg;
mod vision_transformer;

pub use alexnet::{AlexNet, alexnet};
pub use convnext::{ConvNeXt, convnext_base, convnext_large, convnext_small, convnext_tiny};
pub use densenet::{DenseNet, densenet121, densenet161, densenet169, densenet201};
pub use efficientnet::{
    EfficientNet, efficientnet_b0, efficientnet_b1, efficientnet_b2, efficientnet_b3, efficientnet_b4, efficientnet_b5,
    efficientnet_b6, efficientnet_b7, efficientnet_v2_l, efficientnet_v2_m, efficientnet_v2_s,
};
pub use googlenet::{GoogLeNet, googlenet};
pub use inception::{Inception3, inception_v3};
pub use mnasnet::{MNASNet, mnasnet0_5, mnasnet0_75, mnasnet1_0, mnasnet1_3};
pub use mobilenetv2::{MobileNetV2, mobilenet_v2};
pub use mobilenetv3::{MobileNetV3, MobileNetV3Size, mobilenet_v3_large, mobilenet_v3_small};
pub use regnet::{
    RegNet, regnet_x_1_6gf, regnet_x_3_2gf, regnet_x_8gf, regnet_x_16gf, regnet_x_32gf, regnet_x_400mf, regnet_x_800mf,
    regnet_y_1_6gf, regnet_y_3_2gf, regnet_y_8gf, regnet_y_16gf, regnet_y_32gf, regnet_y_128gf, regnet_y_400mf,
    regnet_y_800mf,
};
pub use resnet::{
    ResNet, ResNetBlock, resnet18, resnet34, resnet50, resnet101, resnet152, resnext50_32x4d, resnext101_32x8d,
    resnext101_64x4d, wide_resnet50_2, wide_resnet101_2,
};
pub use shufflenetv2::{ShuffleNetV2, shufflenet_v2_x0_5, shufflenet_v2_x1_0, shufflenet_v2_x1_5, shufflenet_v2_x2_0};
pub use squeezenet::{SqueezeNet, squeezenet1_0, squeezenet1_1};
pub use swin_transformer::{SwinTransformer, swin_b, swin_s, swin_t, swin_v2_b, swin_v2_s, swin_v2_t};
pub use vgg::{VGG, vgg11, vgg11_bn, vgg13, vgg13_bn, vgg16, vgg16_bn, vgg19, vgg19_bn};
pub use vision_transformer::{VisionTransformer, vit_b_16, vit_b_32, vit_h_14, vit_l_16, vit_l_32};
