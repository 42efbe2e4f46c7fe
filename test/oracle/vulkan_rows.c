/* vulkan_rows.c: runs files of `kernc fuzz --emit=glsl` on the first Vulkan device, such as Mesa's lavapipe.
 *
 *     vulkan_rows FILE...      beside each FILE stands FILE.spv, by glslangValidator
 *
 * A line for each; exits with 1 if a row was wrong, with 2 if something failed.
 */
#include "test/oracle/launch_line.h"
#include <vulkan/vulkan.h>

static void need(VkResult result, const char *what)
{
    if (result == VK_SUCCESS)
        return;
    printf("vulkan_rows: %s: Vulkan error %d\n", what, result);
    exit(2);
}

struct device {
    VkPhysicalDevice physical;
    VkDevice logical;
    VkQueue queue;
    VkCommandPool commands;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    uint32_t memory_type; /* that the host sees */
};

static void find_memory(struct device *d)
{
    VkPhysicalDeviceMemoryProperties all;
    const VkMemoryPropertyFlags seen =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    vkGetPhysicalDeviceMemoryProperties(d->physical, &all);
    for (uint32_t i = all.memoryTypeCount; i-- > 0;)
        if ((all.memoryTypes[i].propertyFlags & seen) == seen)
            d->memory_type = i;
}

static void open_device(struct device *d)
{
    VkInstance instance;
    uint32_t count = 1;
    float priority = 1;
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo wanted = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                         .pApplicationInfo = &application};
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const VkPhysicalDeviceFeatures features = {.shaderInt64 = VK_TRUE};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .pEnabledFeatures = &features};
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkDescriptorSetLayoutBinding bindings[3];
    for (uint32_t i = 0; i < 3; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){.binding = i,
                                                     .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                     .descriptorCount = 1,
                                                     .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    const VkDescriptorSetLayoutCreateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                 .bindingCount = 3,
                                                 .pBindings = bindings};
    const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .setLayoutCount = 1,
                                               .pSetLayouts = &d->set_layout};
    need(vkCreateInstance(&wanted, NULL, &instance), "instance");
    VkResult result = vkEnumeratePhysicalDevices(instance, &count, &d->physical);
    need(result == VK_INCOMPLETE ? VK_SUCCESS : count ? result : VK_ERROR_DEVICE_LOST, "device");
    need(vkCreateDevice(d->physical, &info, NULL, &d->logical), "device with 64-bit integers");
    vkGetDeviceQueue(d->logical, 0, 0, &d->queue);
    need(vkCreateCommandPool(d->logical, &pool, NULL, &d->commands), "commands");
    need(vkCreateDescriptorSetLayout(d->logical, &set, NULL, &d->set_layout), "set layout");
    need(vkCreatePipelineLayout(d->logical, &layout, NULL, &d->layout), "layout");
    find_memory(d);
}

struct memory {
    VkBuffer buffer;
    VkDeviceMemory memory;
    void *at;
};

/* Zeroed. */
static struct memory new_memory(const struct device *d, size_t size)
{
    struct memory m;
    VkMemoryRequirements wants;
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = size,
                                     .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    need(vkCreateBuffer(d->logical, &info, NULL, &m.buffer), "buffer");
    vkGetBufferMemoryRequirements(d->logical, m.buffer, &wants);
    const VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                           .allocationSize = wants.size,
                                           .memoryTypeIndex = d->memory_type};
    need(vkAllocateMemory(d->logical, &allocate, NULL, &m.memory), "memory");
    need(vkBindBufferMemory(d->logical, m.buffer, m.memory, 0), "buffer's memory");
    need(vkMapMemory(d->logical, m.memory, 0, VK_WHOLE_SIZE, 0, &m.at), "map");
    memset(m.at, 0, size);
    return m;
}

static VkPipeline new_pipeline(const struct device *d, const char *code, size_t size)
{
    VkShaderModule module;
    VkPipeline pipeline;
    const VkShaderModuleCreateInfo shader = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                             .codeSize = size,
                                             .pCode = (const uint32_t *)code};
    need(vkCreateShaderModule(d->logical, &shader, NULL, &module), "shader");
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .layout = d->layout,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"}};
    need(vkCreateComputePipelines(d->logical, VK_NULL_HANDLE, 1, &info, NULL, &pipeline), "pipeline");
    return pipeline;
}

static VkDescriptorSet new_set(const struct device *d, const struct memory m[3])
{
    VkDescriptorPool pool;
    VkDescriptorSet set;
    VkDescriptorBufferInfo buffers[3];
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 3};
    const VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = 1,
                                             .poolSizeCount = 1,
                                             .pPoolSizes = &size};
    need(vkCreateDescriptorPool(d->logical, &info, NULL, &pool), "descriptors");
    const VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                  .descriptorPool = pool,
                                                  .descriptorSetCount = 1,
                                                  .pSetLayouts = &d->set_layout};
    need(vkAllocateDescriptorSets(d->logical, &allocate, &set), "set");
    for (int i = 0; i < 3; i++)
        buffers[i] = (VkDescriptorBufferInfo){m[i].buffer, 0, VK_WHOLE_SIZE};
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = set,
                                        .descriptorCount = 3,
                                        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                        .pBufferInfo = buffers};
    vkUpdateDescriptorSets(d->logical, 1, &write, 0, NULL);
    return set;
}

static void launch(const struct device *d, VkPipeline pipeline, VkDescriptorSet set, uint32_t groups)
{
    VkCommandBuffer commands;
    const VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = d->commands,
                                                  .commandBufferCount = 1};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    need(vkAllocateCommandBuffers(d->logical, &allocate, &commands), "command buffer");
    need(vkBeginCommandBuffer(commands, &begin), "begin");
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, d->layout, 0, 1, &set, 0, NULL);
    vkCmdDispatch(commands, groups, 1, 1);
    need(vkEndCommandBuffer(commands), "end");
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    need(vkQueueSubmit(d->queue, 1, &submit, VK_NULL_HANDLE), "submit");
    need(vkQueueWaitIdle(d->queue), "wait");
    vkFreeCommandBuffers(d->logical, d->commands, 1, &commands);
}

/* The number of wrong rows. */
static unsigned run(const struct device *d, const struct launch_line *l, const char *code, size_t size)
{
    struct memory m[3] = {new_memory(d, 8 * (size_t)l->log), new_memory(d, 4 * (size_t)l->noise),
                          new_memory(d, 4 * (size_t)l->wrong)};
    launch(d, new_pipeline(d, code, size), new_set(d, m), l->grid);
    unsigned wrong = *(unsigned *)m[2].at;
    for (int i = 0; i < 3; i++)
        vkFreeMemory(d->logical, m[i].memory, NULL);
    return wrong;
}

int main(int argc, char **argv)
{
    struct device d = {0};
    int code = 0;
    open_device(&d);
    for (int i = 1; i < argc; i++) {
        struct launch_line l;
        char path[4096];
        size_t size, code_size;
        snprintf(path, sizeof path, "%s.spv", argv[i]);
        char *text = read_file(argv[i], &size), *spirv = read_file(path, &code_size);
        if (!read_launch(text, &l) || !spirv) {
            printf("%s: no launch line, or no %s\n", argv[i], path);
            code = 2;
        } else if (!say_rows(argv[i], run(&d, &l, spirv, code_size)) && code == 0) {
            code = 1;
        }
        free(text);
        free(spirv);
    }
    return code;
}
